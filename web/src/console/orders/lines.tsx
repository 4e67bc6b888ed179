import type { ReactNode } from 'react'
import { useChange } from '../../api/change.ts'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Panel, Thumb } from '../../ui/list.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import css from '../../ui/page.module.css'
import { ProductPicker } from '../../ui/product-picker.tsx'
import { Table } from '../../ui/table.tsx'
import { ProductLink } from '../products/link.tsx'
import { useMay } from '../user.ts'
import { type OrderDetails, orderKey } from './order.tsx'
import { t } from './text.ts'

type Line = OrderDetails['items'][number]

/** The lines of an order; each change is saved at once. */
export function OrderLines({ order }: { order: OrderDetails }) {
  const { id, itemsTotal, deliveryCost, total } = order
  const change = useChange<OrderDetails>(orderKey(id))
  const isEditable = order.actions.editItems
  const add = (body: { productId: number; quantity: number }) =>
    change.mutate((header) =>
      got(api.POST('/api/v1/admin/orders/{id}/items', { params: { path: { id }, header }, body })),
    )
  const setQuantity = (itemId: number, body: { quantity: number }) =>
    change.mutate((header) =>
      got(api.PATCH('/api/v1/admin/orders/{id}/items/{itemId}', { params: { path: { id, itemId }, header }, body })),
    )
  const remove = (itemId: number) =>
    change.mutate((header) =>
      got(api.DELETE('/api/v1/admin/orders/{id}/items/{itemId}', { params: { path: { id, itemId }, header } })),
    )
  const setDeliveryCost = (body: { deliveryCost: number }) =>
    change.mutate((header) =>
      got(api.PATCH('/api/v1/admin/orders/{id}/delivery-cost', { params: { path: { id }, header }, body })),
    )
  const quantityOf = ({ id: itemId, productName, quantity }: Line) => (
    <NumberField
      key={quantity}
      label={`${t.quantity}: ${productName}`}
      value={quantity}
      min={1}
      onCommit={(entered) => setQuantity(itemId, { quantity: entered })}
    />
  )
  const removeButton = ({ id: itemId, productName }: Line) => (
    <Button look="quiet" aria-label={`${t.removeLine}: ${productName}`} onPress={() => remove(itemId)}>
      ✕
    </Button>
  )

  return (
    <Panel title={t.lines}>
      <div className={css.stack}>
        {isEditable ? (
          <ProductPicker onPick={(product) => add({ productId: product.id, quantity: 1 })} />
        ) : (
          <span className={css.muted}>{t.locked}</span>
        )}
        <Table
          label={t.lines}
          rows={order.items}
          columns={[
            { head: t.product, cell: (item) => <ProductName item={item} /> },
            { head: t.price, type: 'number', cell: ({ priceAtOrder }) => formatMoney(priceAtOrder) },
            { head: t.quantity, type: 'number', cell: (item) => (isEditable ? quantityOf(item) : item.quantity) },
            { head: t.total, type: 'number', cell: ({ lineTotal }) => formatMoney(lineTotal) },
            {
              head: t.removeLine,
              type: 'actions',
              cell: (item) => isEditable && order.items.length > 1 && removeButton(item),
            },
          ]}
          foot={
            <>
              <Total label={t.itemsTotal}>{formatMoney(itemsTotal)}</Total>
              <Total label={t.delivery}>
                <NumberField
                  key={deliveryCost}
                  label={t.deliveryCost}
                  value={deliveryCost}
                  onCommit={(entered) => setDeliveryCost({ deliveryCost: entered })}
                />
              </Total>
              <Total label={t.total}>
                <strong>{formatMoney(total)}</strong>
              </Total>
            </>
          }
        />
      </div>
    </Panel>
  )
}

/** A row below the lines; it ends under their sums. */
export function Total({ label, span = 3, children }: { label: string; span?: number; children: ReactNode }) {
  return (
    <tr>
      <th scope="row" colSpan={span}>
        {label}
      </th>
      <td data-type="number">{children}</td>
      <td />
    </tr>
  )
}

function ProductName({ item: { imageUrl, productId, productName } }: { item: Line }) {
  const may = useMay()
  return (
    <span className={css.line}>
      <Thumb url={imageUrl} />
      {productId !== null && may('products') ? <ProductLink id={productId} name={productName} /> : productName}
    </span>
  )
}
