import { useQueryClient } from '@tanstack/react-query'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import page from './page.module.css'
import { Table } from './table.tsx'
import { t } from './text.ts'

type Members = { readonly [member: string]: unknown }
type Props = {
  form: HTMLFormElement | null
  mine: object
  current: Members
  onMine: () => void
  onBack: () => void
}

/** Somebody else saved first: both versions side by side, and the choice. */
export function Conflict({ form, mine, current, onMine, onBack }: Props) {
  const client = useQueryClient()
  const differing = differences(mine, current)
  return (
    <Dialog title={t.conflict} onClose={onBack} isWide>
      <p>{differing.length === 0 ? t.conflictElsewhere : t.conflictExplained}</p>
      {differing.length > 0 && (
        <Table
          label={t.conflict}
          rows={differing}
          columns={[
            { head: t.field, cell: ([member]) => labelOf(form, member) },
            { head: t.mine, cell: ([, value]) => show(value) },
            { head: t.theirs, cell: ([member]) => show(current[member]) },
          ]}
        />
      )}
      <div className={page.actions}>
        <Button onPress={onBack}>{t.back}</Button>
        <Button
          onPress={() => {
            onBack()
            // The pages fill their forms anew from what they read.
            void client.resetQueries({ type: 'active' })
          }}
        >
          {t.takeTheirs}
        </Button>
        <Button look="primary" onPress={onMine}>
          {t.keepMine}
        </Button>
      </div>
    </Dialog>
  )
}

/** The members of an input that a record shows otherwise. */
export function differences(input: object, record: Members): [member: string, value: unknown][] {
  return Object.entries(input).filter(([member, value]) => value !== undefined && show(value) !== show(record[member]))
}

/** What the form calls a member. */
function labelOf(form: HTMLFormElement | null, member: string): string {
  const field = form?.elements.namedItem(member)
  const label = field instanceof HTMLElement && 'labels' in field && field.labels instanceof NodeList && field.labels[0]
  if (label) return label.textContent ?? member
  return (field instanceof HTMLElement && field.title) || member
}

function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
