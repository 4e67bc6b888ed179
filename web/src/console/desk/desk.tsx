import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { formatMoney, formatNumber } from '../../ui/format.ts'
import { PageHead } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { MENU } from '../menu.ts'
import { profileQuery, useMay } from '../user.ts'
import { LastOrders } from './last-orders.tsx'
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
        <span className={css.figure}>{formatNumber(waiting?.newOrders)}</span> {t.newOrders}
      </Link>
      <Link to="/orders" search={{ status: 'ERROR' }} className={css.tile}>
        <span className={`${css.figure} ${waiting?.submitErrors ? css.bad : ''}`}>
          {formatNumber(waiting?.submitErrors)}
        </span>{' '}
        {t.submitErrors}
      </Link>
      <Link to="/contacts" search={{ status: 'NEW' }} className={css.tile}>
        <span className={css.figure}>{formatNumber(waiting?.newContacts)}</span> {t.newContacts}
      </Link>
      {may('operations') && (
        <Link to="/alerts" className={css.tile}>
          <span className={`${css.figure} ${open ? css.bad : ''}`}>{formatNumber(open)}</span> {t.alerts}
        </Link>
      )}
      <div className={css.tile}>
        <span className={css.figure}>{formatNumber(today?.orders)}</span> {t.ordersToday}
      </div>
      <div className={css.tile}>
        <span className={css.figure}>{formatMoney(today?.revenue)}</span> {t.revenueToday}
      </div>
    </section>
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
