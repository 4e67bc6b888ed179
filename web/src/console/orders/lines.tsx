import { Link } from '@tanstack/react-router'
import { useChange } from '../../api/change.ts'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { formatMoney } from '../../ui/format.ts'
import { Hidden, Panel, Table } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { ProductPicker } from '../../ui/product-picker.tsx'
import { useMay } from '../user.ts'
import { type OrderDetails, orderKey } from './order.tsx'
import { QuantityField } from './quantity.tsx'
import { t } from './text.ts'

/** The lines of an order; each change is saved at once. */
export function OrderLines({ order }: { order: OrderDetails }) {
  const may = useMay()
  const { id } = order
  const change = useChange<OrderDetails>(orderKey(id))
  const isEditable = order.actions.editItems
  const add = (productId: number) =>
    change.mutate((header) =>
      got(
        api.POST('/api/v1/admin/orders/{id}/items', {
          params: { path: { id }, header },
          body: { productId, quantity: 1 },
        }),
      ),
    )
  const setQuantity = (itemId: number, quantity: number) =>
    change.mutate((header) =>
      got(
        api.PATCH('/api/v1/admin/orders/{id}/items/{itemId}', {
          params: { path: { id, itemId }, header },
          body: { quantity },
        }),
      ),
    )
  const remove = (itemId: number) =>
    change.mutate((header) =>
      got(api.DELETE('/api/v1/admin/orders/{id}/items/{itemId}', { params: { path: { id, itemId }, header } })),
    )
  const setDeliveryCost = (deliveryCost: number) =>
    change.mutate((header) =>
      got(
        api.PATCH('/api/v1/admin/orders/{id}/delivery-cost', {
          params: { path: { id }, header },
          body: { deliveryCost },
        }),
      ),
    )

  return (
    <Panel title={t.lines}>
      <div className={css.stack}>
        {isEditable ? (
          <ProductPicker label={t.addProduct} placeholder={t.addHint} onPick={(product) => add(product.id)} />
        ) : (
          <span className={css.muted}>{t.locked}</span>
        )}
        <Table label={t.lines}>
          <thead>
            <tr>
              <th>{t.product}</th>
              <th data-number>{t.price}</th>
              <th data-number>{t.quantity}</th>
              <th data-number>{t.total}</th>
              <th>
                <Hidden>{t.removeLine}</Hidden>
              </th>
            </tr>
          </thead>
          <tbody>
            {order.items.map((item) => (
              <tr key={item.id}>
                <td data-main>
                  <span className={css.line}>
                    {item.imageUrl ? (
                      <img className={css.thumb} src={`${item.imageUrl}&width=160`} alt="" />
                    ) : (
                      <span className={css.thumb} />
                    )}
                    {item.productId !== null && may('products') ? (
                      <Link to="/products/$id" params={{ id: String(item.productId) }}>
                        {item.productName}
                      </Link>
                    ) : (
                      item.productName
                    )}
                  </span>
                </td>
                <td data-label={t.price} data-number>
                  {formatMoney(item.priceAtOrder)}
                </td>
                <td data-label={t.quantity} data-number>
                  {isEditable ? (
                    <QuantityField
                      key={item.quantity}
                      label={`${t.quantity}: ${item.productName}`}
                      value={item.quantity}
                      min={1}
                      onCommit={(quantity) => setQuantity(item.id, quantity)}
                    />
                  ) : (
                    item.quantity
                  )}
                </td>
                <td data-label={t.total} data-number>
                  {formatMoney(item.lineTotal)}
                </td>
                <td>
                  {isEditable && order.items.length > 1 && (
                    <Button
                      look="quiet"
                      aria-label={`${t.removeLine}: ${item.productName}`}
                      onPress={() => remove(item.id)}
                    >
                      ✕
                    </Button>
                  )}
                </td>
              </tr>
            ))}
            <tr>
              <th scope="row" colSpan={3}>
                {t.itemsTotal}
              </th>
              <td data-number>{formatMoney(order.itemsTotal)}</td>
              <td />
            </tr>
            <tr>
              <th scope="row" colSpan={3}>
                {t.delivery}
              </th>
              <td data-number>
                <QuantityField
                  key={order.deliveryCost}
                  label={t.deliveryCost}
                  value={order.deliveryCost}
                  min={0}
                  onCommit={setDeliveryCost}
                />
              </td>
              <td />
            </tr>
            <tr>
              <th scope="row" colSpan={3}>
                {t.total}
              </th>
              <td data-number>
                <strong>{formatMoney(order.total)}</strong>
              </td>
              <td />
            </tr>
          </tbody>
        </Table>
      </div>
    </Panel>
  )
}
