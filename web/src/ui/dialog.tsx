import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import css from './dialog.module.css'

type Props = {
  title: string
  isOpen?: boolean
  onClose?: () => void
  role?: 'dialog' | 'alertdialog'
  isWide?: boolean
  children: ReactNode
}

/** A dialog over the page. Escape closes it, unless `onClose` is missing. */
export function Dialog({ title, isOpen = true, onClose, role = 'dialog', isWide = false, children }: Props) {
  return (
    <ModalOverlay
      className={css.overlay}
      isOpen={isOpen}
      onOpenChange={() => onClose?.()}
      isDismissable={onClose !== undefined && role === 'dialog'}
      isKeyboardDismissDisabled={onClose === undefined}
    >
      <Modal className={`${css.modal} ${isWide ? css.wide : ''}`}>
        <AriaDialog role={role} className={css.dialog}>
          <Heading slot="title" className={css.title}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
