import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { readLine, readNumber, readText, TextField } from '../../ui/fields.tsx'
import { formatDay, formatMoney } from '../../ui/format.ts'
import { Hidden, Panel, Table } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { useMay } from '../user.ts'
import { t } from './text.ts'

type Topup = Schemas['LicenceTopup']

export function LicenceTopups() {
  const may = useMay()
  const topups = useQuery({
    queryKey: ['licence', 'topups'],
    queryFn: () => got(api.GET('/api/v1/admin/license/topups')),
  })
  const [editing, setEditing] = useState<Topup | 'new' | null>(null)
  const topup = editing === 'new' ? null : editing
  const remove = useMutation({
    mutationFn: ({ id, version }: Topup) =>
      done(api.DELETE('/api/v1/admin/license/topups/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  return (
    <Panel
      title={t.topups}
      actions={may('licence.write') && <Button onPress={() => setEditing('new')}>{t.newTopup}</Button>}
    >
      <Loaded query={topups}>
        {(all) =>
          all.length === 0 ? (
            <p className={css.muted}>{t.noTopups}</p>
          ) : (
            <Table label={t.topups}>
              <thead>
                <tr>
                  <th>{t.date}</th>
                  <th data-number>{t.amount}</th>
                  <th>{t.comment}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((one) => (
                  <tr key={one.id}>
                    <td data-main>{formatDay(one.date)}</td>
                    <td data-label={t.amount} data-number>
                      {formatMoney(one.amount)}
                    </td>
                    <td data-label={t.comment}>{one.comment}</td>
                    <td data-number>
                      {may('licence.write') && (
                        <RowActions
                          name={formatDay(one.date)}
                          onEdit={() => setEditing(one)}
                          onRemove={() => remove.mutate(one)}
                        />
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {editing !== null && (
        <Dialog title={t.newTopup} isOpen onClose={() => setEditing(null)}>
          <RecordForm
            version={topup?.version}
            labels={{ date: t.date, amount: t.amount, comment: t.comment }}
            read={(form) => ({
              date: readLine(form, 'date'),
              amount: readNumber(form, 'amount') ?? 0,
              comment: readText(form, 'comment'),
            })}
            save={(body, version) =>
              topup === null
                ? got(api.POST('/api/v1/admin/license/topups', { body }))
                : got(
                    api.PUT('/api/v1/admin/license/topups/{id}', {
                      params: { path: { id: topup.id }, header: ifMatch(version) },
                      body,
                    }),
                  )
            }
            onSaved={() => setEditing(null)}
          >
            <TextField name="date" type="date" label={t.date} defaultValue={topup?.date ?? ''} />
            <TextField name="amount" label={t.amount} defaultValue={String(topup?.amount ?? '')} />
            <TextField name="comment" label={t.comment} defaultValue={topup?.comment ?? ''} />
          </RecordForm>
        </Dialog>
      )}
    </Panel>
  )
}
