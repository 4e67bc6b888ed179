import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { readLine, readText, TextField } from '../../ui/fields.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Hidden, PageHead, Panel, Table } from '../../ui/list.tsx'
import { Empty } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { type Picked, ProductPicker } from '../../ui/product-picker.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { QuantityField } from './quantity.tsx'
import { t } from './text.ts'

type Line = Picked & { quantity: number }

/** An order that a customer gives by phone. */
export function NewOrder() {
  const navigate = useNavigate()
  const [lines, setLines] = useState<readonly Line[]>([])
  // One key for one order: sending it again after a failure can't place a second one.
  const [key] = useState(() => crypto.randomUUID())
  const total = lines.reduce((sum, { price, quantity }) => sum + Math.round((price ?? 0) * 100) * quantity, 0) / 100

  function pick(product: Picked): void {
    const isThere = lines.some(({ id }) => id === product.id)
    setLines(
      isThere
        ? lines.map((line) => (line.id === product.id ? { ...line, quantity: line.quantity + 1 } : line))
        : [...lines, { ...product, quantity: 1 }],
    )
  }

  return (
    <>
      <PageHead title={t.newOrder} />
      <p className={css.muted}>{t.placeHint}</p>
      <div className={css.columns}>
        <Panel title={t.lines}>
          <div className={css.stack}>
            <ProductPicker label={t.addProduct} placeholder={t.addHint} onPick={pick} />
            {lines.length === 0 ? (
              <Empty>{t.noLines}</Empty>
            ) : (
              <Table label={t.lines}>
                <thead>
                  <tr>
                    <th>{t.product}</th>
                    <th data-number>{t.price}</th>
                    <th data-number>{t.quantity}</th>
                    <th>
                      <Hidden>{t.removeLine}</Hidden>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {lines.map((line) => (
                    <tr key={line.id}>
                      <td data-main>{line.name}</td>
                      <td data-label={t.price} data-number>
                        {formatMoney(line.price)}
                      </td>
                      <td data-label={t.quantity} data-number>
                        <QuantityField
                          key={line.quantity}
                          label={`${t.quantity}: ${line.name}`}
                          value={line.quantity}
                          min={1}
                          onCommit={(quantity) =>
                            setLines(lines.map((one) => (one.id === line.id ? { ...one, quantity } : one)))
                          }
                        />
                      </td>
                      <td>
                        <Button
                          look="quiet"
                          aria-label={`${t.removeLine}: ${line.name}`}
                          onPress={() => setLines(lines.filter(({ id }) => id !== line.id))}
                        >
                          ✕
                        </Button>
                      </td>
                    </tr>
                  ))}
                  <tr>
                    <th scope="row">{t.itemsTotal}</th>
                    <td data-number>
                      <strong>{formatMoney(total)}</strong>
                    </td>
                    <td />
                    <td />
                  </tr>
                </tbody>
              </Table>
            )}
          </div>
        </Panel>
        <Panel title={t.customer}>
          <RecordForm
            submit={t.place}
            read={(form) => ({
              items: lines.map(({ id, quantity }) => ({ productId: id, quantity })),
              customerName: readLine(form, 'customerName'),
              customerPhone: readLine(form, 'customerPhone'),
              customerEmail: readText(form, 'customerEmail'),
              deliveryMethod: readText(form, 'deliveryMethod'),
              deliveryAddress: readText(form, 'deliveryAddress'),
              comment: readText(form, 'comment'),
            })}
            save={(body) =>
              got(api.POST('/api/v1/admin/orders', { params: { header: { 'Idempotency-Key': key } }, body }))
            }
            onSaved={({ id }) => void navigate({ to: '/orders/$id', params: { id: String(id) } })}
          >
            <TextField name="customerName" label={common.personName} autoComplete="off" />
            <TextField name="customerPhone" type="tel" label={t.phone} autoComplete="off" />
            <TextField name="customerEmail" label={common.email} autoComplete="off" />
            <TextField name="deliveryMethod" label={t.deliveryMethod} />
            <TextField name="deliveryAddress" rows={2} label={t.deliveryAddress} />
            <TextField name="comment" rows={2} label={t.comment} />
          </RecordForm>
        </Panel>
      </div>
    </>
  )
}
