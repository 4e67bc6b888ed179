import { useQueryClient } from '@tanstack/react-query'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import css from './record-form.module.css'
import { t } from './text.ts'

type Members = { readonly [member: string]: unknown }

/** Somebody else saved first: both versions side by side, and the choice. */
export function Conflict({
  mine,
  current,
  labels,
  onMine,
  onBack,
}: {
  mine: object
  current: Members
  labels: { [member: string]: string }
  onMine: () => void
  onBack: () => void
}) {
  const client = useQueryClient()
  const differing = differences(mine, current)
  return (
    <Dialog title={t.conflict} isOpen onClose={onBack} isWide>
      <p>{differing.length === 0 ? t.conflictElsewhere : t.conflictExplained}</p>
      {differing.length > 0 && (
        <table className={css.table}>
          <thead>
            <tr>
              <th>{t.field}</th>
              <th>{t.mine}</th>
              <th>{t.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map(([member, value]) => (
              <tr key={member}>
                <th scope="row">{labels[member] ?? member}</th>
                <td>{show(value)}</td>
                <td>{show(current[member])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className={css.actions}>
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

function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
