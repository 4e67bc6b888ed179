import { type ReactNode, useState } from 'react'
import { Button as AriaButton, type ButtonProps } from 'react-aria-components'
import css from './button.module.css'
import { Dialog } from './dialog.tsx'
import { t } from './text.ts'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

export function Button({ look = 'plain', ...props }: Omit<ButtonProps, 'className'> & { look?: Look }) {
  return <AriaButton {...props} className={`${css.button} ${css[look]}`} />
}

/** The class of a link that looks like a button. */
export function buttonClass(look: Look = 'plain'): string {
  return `${css.button} ${css[look]}`
}

type ConfirmProps = {
  /** What the button says; that of the question, if it isn't said. */
  children?: ReactNode
  question: ReactNode
  confirm: string
  onConfirm: () => void
  look?: Look
  isDisabled?: boolean
}

/** A button that asks before it acts. */
export function ConfirmButton({
  confirm,
  children = confirm,
  question,
  onConfirm,
  look = 'plain',
  isDisabled,
}: ConfirmProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look={look} isDisabled={isDisabled} onPress={() => setOpen(true)}>
        {children}
      </Button>
      <Dialog title={confirm} isOpen={isOpen} onClose={() => setOpen(false)} role="alertdialog">
        <div>{question}</div>
        <div className={css.row}>
          <Button onPress={() => setOpen(false)}>{t.cancel}</Button>
          <Button
            look={look === 'danger' || look === 'quiet' ? 'danger' : 'primary'}
            onPress={() => {
              setOpen(false)
              onConfirm()
            }}
          >
            {confirm}
          </Button>
        </div>
      </Dialog>
    </>
  )
}
