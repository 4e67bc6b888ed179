import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { number } from '../../ui/form-data.ts'
import { formatMoney } from '../../ui/format.ts'
import { Empty, PageHead, Panel } from '../../ui/list.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import css from '../../ui/page.module.css'
import { type Picked, ProductPicker } from '../../ui/product-picker.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { Table } from '../../ui/table.tsx'
import { useMay } from '../user.ts'
import { CUSTOMER, CustomerField, CustomerFields } from './customer-fields.tsx'
import { Total } from './lines.tsx'
import { t } from './text.ts'

type Line = Picked & { quantity: number }

/** An order that a customer gives by phone. */
export function NewOrder() {
  const navigate = useNavigate()
  const [lines, setLines] = useState<readonly Line[]>([])
  const may = useMay()
  // One key for one order: sending it again after a failure can't place a second one.
  const [key] = useState(() => crypto.randomUUID())
  const total = lines.reduce((sum, { price, quantity }) => sum + Math.round((price ?? 0) * 100) * quantity, 0) / 100
  const setQuantity = (id: number, quantity: number) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, quantity } : line)))

  function pick(product: Picked): void {
    const line = lines.find(({ id }) => id === product.id)
    if (line === undefined) setLines([...lines, { ...product, quantity: 1 }])
    else setQuantity(line.id, line.quantity + 1)
  }

  return (
    <>
      <PageHead title={t.newOrder} />
      <p className={css.muted}>{t.placeHint}</p>
      <div className={css.columns}>
        <Panel title={t.lines}>
          <div className={css.stack}>
            <ProductPicker onPick={pick} />
            {lines.length === 0 ? (
              <Empty>{t.noLines}</Empty>
            ) : (
              <Table
                label={t.lines}
                rows={lines}
                columns={[
                  { head: t.product, cell: ({ name }) => name },
                  { head: t.price, type: 'number', cell: ({ price }) => formatMoney(price) },
                  {
                    head: t.quantity,
                    type: 'number',
                    cell: ({ id, name, quantity }) => (
                      <NumberField
                        key={quantity}
                        label={`${t.quantity}: ${name}`}
                        value={quantity}
                        min={1}
                        onCommit={(entered) => setQuantity(id, entered)}
                      />
                    ),
                  },
                  {
                    head: t.removeLine,
                    type: 'actions',
                    cell: (line) => (
                      <Button
                        look="quiet"
                        aria-label={`${t.removeLine}: ${line.name}`}
                        onPress={() => setLines(lines.filter((one) => one !== line))}
                      >
                        ✕
                      </Button>
                    ),
                  },
                ]}
                foot={
                  <Total label={t.itemsTotal} span={2}>
                    <strong>{formatMoney(total)}</strong>
                  </Total>
                }
              />
            )}
          </div>
        </Panel>
        <Panel title={t.customer}>
          <RecordForm
            submit={t.place}
            read={{
              ...CUSTOMER,
              customerId: number,
              items: () => lines.map(({ id, quantity }) => ({ productId: id, quantity })),
            }}
            create={(body) =>
              got(api.POST('/api/v1/admin/orders', { params: { header: { 'Idempotency-Key': key } }, body }))
            }
            onSaved={({ id }) => void navigate({ to: '/orders/$id', params: { id: String(id) } })}
          >
            {may('users') && <CustomerField />}
            <CustomerFields />
          </RecordForm>
        </Panel>
      </div>
    </>
  )
}
