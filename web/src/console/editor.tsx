import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { at, type RecordParams } from '../api/client.ts'
import { Button, ConfirmButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { Column } from '../ui/table.tsx'
import { t } from './text.ts'

type Options<Row> = {
  nameOf: (row: Row) => string
  form: (row: Row | null, close: () => void) => ReactNode
  /** What the button says that adds a record. */
  add?: string
  remove?: (params: RecordParams) => Promise<unknown>
  isWide?: boolean
}

/**
 * Records that are edited in a dialog: the button that adds one, the column of a table with what can be done, and the dialog. The page
 * puts each where it belongs.
 */
export function useEditor<Row extends { id?: number; version: number }>({
  nameOf,
  form,
  add = '',
  remove,
  isWide = false,
}: Options<Row>) {
  const [editing, setEditing] = useState<Row | 'new' | null>(null)
  const close = () => setEditing(null)
  const removal = useMutation({
    mutationFn: async ({ id = 0, version }: Row) => remove?.(at({ id, version })),
  })
  const button = (
    <Button look="primary" onPress={() => setEditing('new')}>
      {add}
    </Button>
  )
  const column: Column<Row> = {
    head: t.actions,
    type: 'actions',
    cell: (row) => (
      <>
        <Button look="quiet" aria-label={`${t.edit}: ${nameOf(row)}`} onPress={() => setEditing(row)}>
          {t.edit}
        </Button>
        {remove && <RemoveButton look="quiet" name={nameOf(row)} onRemove={() => removal.mutate(row)} />}
      </>
    ),
  }
  const dialog = editing !== null && (
    <Dialog title={editing === 'new' ? add : nameOf(editing)} onClose={close} isWide={isWide}>
      {form(editing === 'new' ? null : editing, close)}
    </Dialog>
  )
  return { button, column, dialog }
}

type RemoveProps = { name: string; onRemove: () => void; look?: 'quiet' | 'danger'; hint?: string | false }

export function RemoveButton({ name, onRemove, look = 'danger', hint = false }: RemoveProps) {
  const question = (
    <>
      <p>{t.removeQuestion(name)}</p>
      {hint && <p>{hint}</p>}
    </>
  )
  return <ConfirmButton look={look} confirm={t.remove} question={question} onConfirm={onRemove} />
}
