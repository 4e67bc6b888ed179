import { useQuery } from '@tanstack/react-query'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { TextField } from '../../ui/fields.tsx'
import { line, numberOrZero, text } from '../../ui/form-data.ts'
import { formatDay, formatMoney } from '../../ui/format.ts'
import { Loaded, PageHead, Panel, Tile } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { useMay } from '../user.ts'
import { t } from './text.ts'

/** What the shop's licence costs, and how long it is paid. */
export function Licence() {
  const balance = useQuery({
    queryKey: ['licence', 'balance'],
    queryFn: () => got(api.GET('/api/v1/admin/license/balance')),
  })
  return (
    <>
      <PageHead title={t.licence} />
      <Loaded query={balance}>
        {(read) => (
          <section className={css.tiles}>
            {[
              [t.balance, formatMoney(read.balance)],
              [t.paidUntil, formatDay(read.paidUntil)],
              [t.monthly, formatMoney(read.monthlyTotal)],
              [t.toppedUp, formatMoney(read.toppedUp)],
              [t.spent, formatMoney(read.spent)],
            ].map(([label, value = '']) => (
              <div key={label} className={css.tile}>
                <Tile value={value} isBad={label === t.balance && read.balance < 0}>
                  {label}
                </Tile>
              </div>
            ))}
          </section>
        )}
      </Loaded>
      <LicencePrices />
      <LicenceTopups />
    </>
  )
}

function LicencePrices() {
  const may = useMay()
  const prices = useQuery({
    queryKey: ['licence', 'prices'],
    queryFn: () => got(api.GET('/api/v1/admin/license/prices')),
  })
  const editor = useEditor<Schemas['LicencePrice']>({
    add: t.newPrice,
    nameOf: ({ startDate }) => formatDay(startDate),
    remove: (params) => done(api.DELETE('/api/v1/admin/license/prices/{id}', { params })),
    form: (price, close) => (
      <RecordForm
        record={price}
        read={{ startDate: line, endDate: text, serverCost: numberOrZero, supportCost: numberOrZero }}
        create={(body) => got(api.POST('/api/v1/admin/license/prices', { body }))}
        update={(body, params) => got(api.PUT('/api/v1/admin/license/prices/{id}', { params, body }))}
        onSaved={close}
      >
        <TextField name="startDate" type="date" label={t.from} defaultValue={price?.startDate} />
        <TextField name="endDate" type="date" label={t.end} defaultValue={price?.endDate} />
        <TextField name="serverCost" label={t.server} defaultValue={price?.serverCost} />
        <TextField name="supportCost" label={t.support} defaultValue={price?.supportCost} />
      </RecordForm>
    ),
  })
  const mayWrite = may('licence.write')
  return (
    <Panel title={t.prices} actions={mayWrite && editor.button}>
      <List
        label={t.prices}
        query={prices}
        editor={mayWrite ? editor : undefined}
        empty={t.noPrices}
        columns={[
          { head: t.from, cell: ({ startDate }) => formatDay(startDate) },
          { head: t.end, cell: ({ endDate }) => formatDay(endDate) },
          { head: t.server, type: 'number', cell: ({ serverCost }) => formatMoney(serverCost) },
          { head: t.support, type: 'number', cell: ({ supportCost }) => formatMoney(supportCost) },
          { head: t.total, type: 'number', cell: ({ total }) => formatMoney(total) },
        ]}
      />
    </Panel>
  )
}

function LicenceTopups() {
  const may = useMay()
  const topups = useQuery({
    queryKey: ['licence', 'topups'],
    queryFn: () => got(api.GET('/api/v1/admin/license/topups')),
  })
  const editor = useEditor<Schemas['LicenceTopup']>({
    add: t.newTopup,
    nameOf: ({ date }) => formatDay(date),
    remove: (params) => done(api.DELETE('/api/v1/admin/license/topups/{id}', { params })),
    form: (topup, close) => (
      <RecordForm
        record={topup}
        read={{ date: line, amount: numberOrZero, comment: text }}
        create={(body) => got(api.POST('/api/v1/admin/license/topups', { body }))}
        update={(body, params) => got(api.PUT('/api/v1/admin/license/topups/{id}', { params, body }))}
        onSaved={close}
      >
        <TextField name="date" type="date" label={t.date} defaultValue={topup?.date} />
        <TextField name="amount" label={t.amount} defaultValue={topup?.amount} />
        <TextField name="comment" label={t.comment} defaultValue={topup?.comment} />
      </RecordForm>
    ),
  })
  const mayWrite = may('licence.write')
  return (
    <Panel title={t.topups} actions={mayWrite && editor.button}>
      <List
        label={t.topups}
        query={topups}
        editor={mayWrite ? editor : undefined}
        empty={t.noTopups}
        columns={[
          { head: t.date, cell: ({ date }) => formatDay(date) },
          { head: t.amount, type: 'number', cell: ({ amount }) => formatMoney(amount) },
          { head: t.comment, cell: ({ comment }) => comment },
        ]}
      />
    </Panel>
  )
}
