import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import css from './page.module.css'
import { t } from './text.ts'

type Props = { title: string; secret: string; onClose: () => void }

/** A secret that is shown once. */
export function SecretDialog({ title, secret, onClose }: Props) {
  return (
    <Dialog title={title} role="alertdialog" onClose={onClose}>
      <div className={css.stack}>
        <p>{t.shownOnce}</p>
        <code className={css.pre}>{secret}</code>
        <div className={css.row}>
          <Button onPress={() => void navigator.clipboard.writeText(secret)}>{t.copy}</Button>
          <Button look="primary" onPress={onClose}>
            {t.close}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
