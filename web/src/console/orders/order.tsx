import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useChange } from '../../api/change.ts'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { readLine, readText, SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.ts'
import { formatTime } from '../../ui/format.ts'
import { PageHead, Panel } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { useMay } from '../user.ts'
import { OrderAttempts, OrderHistory } from './history.tsx'
import { OrderLines } from './lines.tsx'
import { ORDER_STATUSES, OrderBadge } from './status.tsx'
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
  const { id, version } = order
  const path = { id }
  const change = useChange<OrderDetails>(orderKey(id))
  const setStatus = (status: Schemas['OrderStatus']) =>
    change.mutate((header) =>
      got(api.PATCH('/api/v1/admin/orders/{id}', { params: { path, header }, body: { status } })),
    )
  const submit = () =>
    change.mutate((header) => got(api.POST('/api/v1/admin/orders/{id}/submit', { params: { path, header } })))
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/v1/admin/orders/{id}', { params: { path, header: ifMatch(version) } })),
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
        <Button onPress={() => window.print()}>{t.print}</Button>
        {may('orders.delete') && (
          <ConfirmButton
            look="danger"
            confirm={t.remove}
            question={common.removeQuestion(`№ ${order.number}`)}
            onConfirm={() => remove.mutate()}
          >
            {common.remove}
          </ConfirmButton>
        )}
        {order.actions.submit && (
          <ConfirmButton
            look="primary"
            confirm={t.submit}
            question={t.submitQuestion}
            isDisabled={change.isPending}
            onConfirm={submit}
          >
            {t.submit}
          </ConfirmButton>
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
          <Panel title={common.status}>
            <div className={css.stack}>
              <SelectField
                label={common.status}
                isHiddenLabel
                value={order.status}
                options={ORDER_STATUSES.map((one) => [one, common.orderStatus[one]])}
                onChange={(value) => {
                  const status = oneOf(ORDER_STATUSES, value)
                  if (status !== undefined) setStatus(status)
                }}
              />
              <span className={css.muted}>
                {t.placed}: {formatTime(order.createdAt)}
              </span>
            </div>
          </Panel>
          <Panel title={t.customer}>
            <CustomerForm order={order} />
          </Panel>
        </div>
      </div>
    </>
  )
}

function CustomerForm({ order }: { order: OrderDetails }) {
  const labels = {
    customerName: common.personName,
    customerPhone: t.phone,
    customerEmail: common.email,
    deliveryMethod: t.deliveryMethod,
    deliveryAddress: t.deliveryAddress,
    comment: t.comment,
    adminComment: t.notes,
  }
  return (
    <RecordForm
      version={order.version}
      labels={labels}
      read={(form) => ({
        customerName: readLine(form, 'customerName'),
        customerPhone: readLine(form, 'customerPhone'),
        customerEmail: readText(form, 'customerEmail'),
        deliveryMethod: readText(form, 'deliveryMethod'),
        deliveryAddress: readText(form, 'deliveryAddress'),
        comment: readText(form, 'comment'),
        adminComment: readText(form, 'adminComment'),
      })}
      save={(body, version) =>
        got(
          api.PATCH('/api/v1/admin/orders/{id}', {
            params: { path: { id: order.id }, header: ifMatch(version) },
            body,
          }),
        )
      }
    >
      <TextField name="customerName" label={labels.customerName} defaultValue={order.customerName} />
      <TextField name="customerPhone" type="tel" label={labels.customerPhone} defaultValue={order.customerPhone} />
      <TextField name="customerEmail" label={labels.customerEmail} defaultValue={order.customerEmail ?? ''} />
      <TextField name="deliveryMethod" label={labels.deliveryMethod} defaultValue={order.deliveryMethod ?? ''} />
      <TextField
        name="deliveryAddress"
        rows={2}
        label={labels.deliveryAddress}
        defaultValue={order.deliveryAddress ?? ''}
      />
      <TextField name="comment" rows={2} label={labels.comment} defaultValue={order.comment ?? ''} />
      <TextField name="adminComment" rows={3} label={labels.adminComment} defaultValue={order.adminComment ?? ''} />
    </RecordForm>
  )
}
