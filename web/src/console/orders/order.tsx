import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useChange } from '../../api/change.ts'
import { api, at, done, got, openFile, type Schemas } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.tsx'
import { text } from '../../ui/form-data.ts'
import { formatTime } from '../../ui/format.ts'
import { Loaded, PageHead, Panel } from '../../ui/list.tsx'
import { notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { RemoveButton } from '../editor.tsx'
import { useMay } from '../user.ts'
import { CUSTOMER, CustomerFields } from './customer-fields.tsx'
import { OrderAttempts, OrderHistory } from './history.tsx'
import { OrderLines } from './lines.tsx'
import { OrderBadge } from './status.tsx'
import { t } from './text.ts'

export type OrderDetails = Schemas['OrderDetails']

export const orderKey = (id: number) => ['orders', 'one', id]

export function OrderPage() {
  const { id } = useParams({ strict: false })
  const order = useQuery({
    queryKey: orderKey(Number(id)),
    queryFn: () => got(api.GET('/api/v1/admin/orders/{id}', { params: { path: { id: Number(id) } } })),
  })
  return <Loaded query={order}>{(read) => <OrderView key={read.id} order={read} />}</Loaded>
}

function OrderView({ order }: { order: OrderDetails }) {
  const may = useMay()
  const navigate = useNavigate()
  const { id } = order
  const path = { id }
  const change = useChange<OrderDetails>(orderKey(id))
  const setStatus = (status: Schemas['OrderStatus']) =>
    change.mutate((header) =>
      got(api.PATCH('/api/v1/admin/orders/{id}', { params: { path, header }, body: { status } })),
    )
  const submit = () =>
    change.mutate((header) => got(api.POST('/api/v1/admin/orders/{id}/submit', { params: { path, header } })))
  const print = (prices: boolean) =>
    void openFile(`/api/v1/admin/orders/${id}/print?prices=${prices}`).catch(notifyFailure)
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/v1/admin/orders/{id}', { params: at(order) })),
    onSuccess: () => navigate({ to: '/orders' }),
  })

  return (
    <>
      <PageHead
        title={
          <span className={css.row}>
            № {order.number} <OrderBadge status={order.status} />
          </span>
        }
      >
        <Button onPress={() => print(true)}>{t.slip}</Button>
        <Button onPress={() => print(false)}>{t.slipWithoutPrices}</Button>
        {may('orders.delete') && <RemoveButton name={`№ ${order.number}`} onRemove={() => remove.mutate()} />}
        {order.actions.submit && (
          <ConfirmButton
            look="primary"
            confirm={t.submit}
            question={t.submitQuestion}
            isDisabled={change.isPending}
            onConfirm={submit}
          />
        )}
      </PageHead>
      {order.externalId !== null && <Panel>{t.accepted(order.externalId)}</Panel>}
      {order.submitError !== null && (
        <Panel>
          <strong className={css.bad}>{t.refused}:</strong> {order.submitError}
        </Panel>
      )}
      <div className={css.columns}>
        <div>
          <OrderLines order={order} />
          <OrderHistory order={order} />
          <OrderAttempts order={order} />
        </div>
        <div>
          <Panel title={t.status}>
            <div className={css.stack}>
              <SelectField
                label={t.status}
                isHiddenLabel
                value={order.status}
                options={Object.entries(t.orderStatus)}
                onChange={(value) => setStatus(oneOf(t.orderStatus, value) ?? order.status)}
              />
              <span className={css.muted}>
                {t.placed}: {formatTime(order.createdAt)}
              </span>
            </div>
          </Panel>
          <Panel title={t.customer}>
            <RecordForm
              record={order}
              read={{ ...CUSTOMER, adminComment: text }}
              update={(body, params) => got(api.PATCH('/api/v1/admin/orders/{id}', { params, body }))}
            >
              <CustomerFields order={order} />
              <TextField name="adminComment" rows={3} label={t.notes} defaultValue={order.adminComment} />
            </RecordForm>
          </Panel>
        </div>
      </div>
    </>
  )
}
