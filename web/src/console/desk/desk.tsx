import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { formatMoney, formatNumber } from '../../ui/format.ts'
import { PageHead, Panel, Tile } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { List } from '../../ui/table.tsx'
import { MENU } from '../menu.ts'
import { orderColumns } from '../orders/columns.tsx'
import { profileQuery, useMay } from '../user.ts'
import { OrdersByDay } from './orders-by-day.tsx'
import { t } from './text.ts'

/** What waits for the user. */
export function Desk() {
  const may = useMay()
  const profile = useQuery(profileQuery)
  return (
    <>
      <PageHead title={t.hello(profile.data?.name ?? '')} />
      {may('orders') ? <Waiting /> : <EditorsDesk />}
      {may('orders') && (
        <>
          <OrdersByDay />
          <LastOrders />
        </>
      )}
    </>
  )
}

function Waiting() {
  const may = useMay()
  const summary = useQuery({
    queryKey: ['orders', 'summary', 'desk'],
    queryFn: () => got(api.GET('/api/v1/admin/orders/summary')),
  })
  const alerts = useQuery({
    queryKey: ['alerts'],
    queryFn: () => got(api.GET('/api/v1/admin/alerts')),
    enabled: may('operations'),
  })
  const { waiting, today } = summary.data ?? {}
  const open = alerts.data?.filter(({ endedAt }) => endedAt === null).length
  return (
    <section className={css.tiles} aria-label={t.waiting}>
      <Link to="/orders" search={{ status: 'NEW' }} className={css.tile}>
        <Tile value={formatNumber(waiting?.newOrders)}>{t.newOrders}</Tile>
      </Link>
      <Link to="/orders" search={{ status: 'ERROR' }} className={css.tile}>
        <Tile value={formatNumber(waiting?.submitErrors)} isBad={Boolean(waiting?.submitErrors)}>
          {t.submitErrors}
        </Tile>
      </Link>
      <Link to="/contacts" search={{ status: 'NEW' }} className={css.tile}>
        <Tile value={formatNumber(waiting?.newContacts)}>{t.newContacts}</Tile>
      </Link>
      {may('operations') && (
        <Link to="/alerts" className={css.tile}>
          <Tile value={formatNumber(open)} isBad={Boolean(open)}>
            {t.alerts}
          </Tile>
        </Link>
      )}
      <div className={css.tile}>
        <Tile value={formatNumber(today?.orders)}>{t.ordersToday}</Tile>
      </div>
      <div className={css.tile}>
        <Tile value={formatMoney(today?.revenue)}>{t.revenueToday}</Tile>
      </div>
    </section>
  )
}

function LastOrders() {
  const orders = useQuery({
    queryKey: ['orders', 'last'],
    queryFn: () => got(api.GET('/api/v1/admin/orders', { params: { query: { size: 8 } } })),
    select: ({ content }) => content,
  })
  const { number, status, customer, total, placed } = orderColumns
  return (
    <Panel title={t.lastOrders} actions={<Link to="/orders">{t.all}</Link>}>
      <List
        label={t.lastOrders}
        query={orders}
        empty={t.noOrders}
        columns={[number, status, customer, total, placed]}
      />
    </Panel>
  )
}

/** Those who edit content have no orders: their desk leads to what they edit. */
function EditorsDesk() {
  const may = useMay()
  const entries = MENU.flatMap((group) => group.entries).filter(({ permission }) => permission && may(permission))
  return (
    <>
      <p>{t.editorsHint}</p>
      <div className={css.tiles}>
        {entries.map(({ to, label }) => (
          <Link key={to} to={to} className={css.tile}>
            <strong>{label}</strong>
          </Link>
        ))}
      </div>
    </>
  )
}
