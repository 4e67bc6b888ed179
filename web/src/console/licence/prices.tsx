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

type Price = Schemas['LicencePrice']

export function LicencePrices() {
  const may = useMay()
  const prices = useQuery({
    queryKey: ['licence', 'prices'],
    queryFn: () => got(api.GET('/api/v1/admin/license/prices')),
  })
  const [editing, setEditing] = useState<Price | 'new' | null>(null)
  const price = editing === 'new' ? null : editing
  const remove = useMutation({
    mutationFn: ({ id, version }: Price) =>
      done(api.DELETE('/api/v1/admin/license/prices/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  return (
    <Panel
      title={t.prices}
      actions={may('licence.write') && <Button onPress={() => setEditing('new')}>{t.newPrice}</Button>}
    >
      <Loaded query={prices}>
        {(all) =>
          all.length === 0 ? (
            <p className={css.muted}>{t.noPrices}</p>
          ) : (
            <Table label={t.prices}>
              <thead>
                <tr>
                  <th>{t.start}</th>
                  <th>{t.end}</th>
                  <th data-number>{t.server}</th>
                  <th data-number>{t.support}</th>
                  <th data-number>{t.total}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((one) => (
                  <tr key={one.id}>
                    <td data-main>{formatDay(one.startDate)}</td>
                    <td data-label={t.end}>{formatDay(one.endDate)}</td>
                    <td data-label={t.server} data-number>
                      {formatMoney(one.serverCost)}
                    </td>
                    <td data-label={t.support} data-number>
                      {formatMoney(one.supportCost)}
                    </td>
                    <td data-label={t.total} data-number>
                      {formatMoney(one.total)}
                    </td>
                    <td data-number>
                      {may('licence.write') && (
                        <RowActions
                          name={formatDay(one.startDate)}
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
        <Dialog title={t.newPrice} isOpen onClose={() => setEditing(null)}>
          <RecordForm
            version={price?.version}
            labels={{ startDate: t.start, endDate: t.end, serverCost: t.server, supportCost: t.support }}
            read={(form) => ({
              startDate: readLine(form, 'startDate'),
              endDate: readText(form, 'endDate'),
              serverCost: readNumber(form, 'serverCost') ?? 0,
              supportCost: readNumber(form, 'supportCost') ?? 0,
            })}
            save={(body, version) =>
              price === null
                ? got(api.POST('/api/v1/admin/license/prices', { body }))
                : got(
                    api.PUT('/api/v1/admin/license/prices/{id}', {
                      params: { path: { id: price.id }, header: ifMatch(version) },
                      body,
                    }),
                  )
            }
            onSaved={() => setEditing(null)}
          >
            <TextField name="startDate" type="date" label={t.start} defaultValue={price?.startDate ?? ''} />
            <TextField name="endDate" type="date" label={t.end} defaultValue={price?.endDate ?? ''} />
            <TextField name="serverCost" label={t.server} defaultValue={String(price?.serverCost ?? '')} />
            <TextField name="supportCost" label={t.support} defaultValue={String(price?.supportCost ?? '')} />
          </RecordForm>
        </Dialog>
      )}
    </Panel>
  )
}
