import { Button, ConfirmButton } from '../ui/button.tsx'
import { t } from './text.ts'

/** What can be done with a row of a table. */
export function RowActions({ name, onEdit, onRemove }: { name: string; onEdit: () => void; onRemove: () => void }) {
  return (
    <>
      <Button look="quiet" aria-label={`${t.edit}: ${name}`} onPress={onEdit}>
        {t.edit}
      </Button>
      <ConfirmButton look="quiet" confirm={t.remove} question={t.removeQuestion(name)} onConfirm={onRemove}>
        {t.remove}
      </ConfirmButton>
    </>
  )
}
