import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { formatMoney, formatNumber } from '../../ui/format.ts'
import { PageHead, Panel, Tile } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { List } from '../../ui/table.tsx'
import { menuOf } from '../menu.ts'
import { orderColumns } from '../orders/columns.tsx'
import { type Permission, profileQuery, useMay } from '../user.ts'
import { OrdersByDay } from './orders-by-day.tsx'
import { t } from './text.ts'

/** What waits for the user. */
export function Desk() {
  const may = useMay()
  const profile = useQuery(profileQuery)
  return (
    <>
      <PageHead title={t.hello(profile.data?.name ?? '')} />
      {may('orders') ? <Waiting /> : <EditorsDesk permissions={profile.data?.permissions ?? []} />}
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
      <LinkedTile to="/orders" status="NEW" count={waiting?.newOrders} label={t.newOrders} />
      <LinkedTile to="/orders" status="ERROR" count={waiting?.submitErrors} label={t.submitErrors} isAlarming />
      <LinkedTile to="/contacts" status="NEW" count={waiting?.newContacts} label={t.newContacts} />
      {may('operations') && <LinkedTile to="/alerts" count={open} label={t.alerts} isAlarming />}
      <div className={css.tile}>
        <Tile value={formatNumber(today?.orders)}>{t.ordersToday}</Tile>
      </div>
      <div className={css.tile}>
        <Tile value={formatMoney(today?.revenue)}>{t.revenueToday}</Tile>
      </div>
    </section>
  )
}

type TileProps = { to: string; status?: string; count: number | undefined; label: string; isAlarming?: boolean }

function LinkedTile({ to, status, count, label, isAlarming = false }: TileProps) {
  return (
    <Link to={to} search={{ status }} className={css.tile}>
      <Tile value={formatNumber(count)} isBad={isAlarming && Boolean(count)}>
        {label}
      </Tile>
    </Link>
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
function EditorsDesk({ permissions }: { permissions: readonly Permission[] }) {
  const entries = menuOf(permissions).flatMap((group) => group.entries.filter(({ to }) => to !== '/'))
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
