import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { DASH, formatAgo, formatMoney, formatNumber } from '../../ui/format.ts'
import { Facts, PageHead, Panel } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { OrdersByDay } from '../desk/orders-by-day.tsx'
import { ORDER_STATUSES } from '../orders/status.tsx'
import { RunBadge } from '../run-badge.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

/** The key figures of the shop; each number leads to its records. */
export function Dashboard() {
  const dashboard = useQuery({ queryKey: ['dashboard'], queryFn: () => got(api.GET('/api/v1/admin/dashboard')) })
  return (
    <>
      <PageHead title={common.dashboard} />
      <Loaded query={dashboard}>
        {({ orders, revenue, waiting, sync, products }) => (
          <>
            <section className={css.tiles} aria-label={t.revenue}>
              {(['today', 'days7', 'days30'] as const).map((period) => (
                <div key={period} className={css.tile}>
                  <span className={css.figure}>{formatMoney(revenue[period])}</span> {t.revenue}: {t[period]}
                </div>
              ))}
            </section>
            <OrdersByDay />
            <div className={css.grid}>
              <Panel title={t.waiting}>
                <Facts
                  facts={[
                    [
                      t.newOrders,
                      <Link key="n" to="/orders" search={{ status: 'NEW' }}>
                        {formatNumber(waiting.newOrders)}
                      </Link>,
                    ],
                    [
                      t.submitErrors,
                      <Link key="e" to="/orders" search={{ status: 'ERROR' }}>
                        {formatNumber(waiting.submitErrors)}
                      </Link>,
                    ],
                    [
                      t.newContacts,
                      <Link key="c" to="/contacts" search={{ status: 'NEW' }}>
                        {formatNumber(waiting.newContacts)}
                      </Link>,
                    ],
                    [
                      t.failedMails,
                      <Link key="m" to="/mails" search={{ status: 'FAILED' }}>
                        {formatNumber(waiting.failedMails)}
                      </Link>,
                    ],
                  ]}
                />
              </Panel>
              <Panel title={t.orders}>
                <Facts
                  facts={ORDER_STATUSES.map((status) => [
                    common.orderStatus[status],
                    <Link key={status} to="/orders" search={{ status }}>
                      {formatNumber(orders[status])}
                    </Link>,
                  ])}
                />
              </Panel>
              <Panel title={t.catalogue}>
                <Facts
                  facts={[
                    [
                      t.activeProducts,
                      <Link key="a" to="/products" search={{ active: 'true' }}>
                        {formatNumber(products.active)}
                      </Link>,
                    ],
                    [
                      t.withoutPrice,
                      <Link key="p" to="/products" search={{ without: 'price' }}>
                        {formatNumber(products.withoutPrice)}
                      </Link>,
                    ],
                    [
                      t.withoutImage,
                      <Link key="i" to="/products" search={{ without: 'image' }}>
                        {formatNumber(products.withoutImage)}
                      </Link>,
                    ],
                    [
                      t.withoutCategory,
                      <Link key="c" to="/products" search={{ without: 'category' }}>
                        {formatNumber(products.withoutCategory)}
                      </Link>,
                    ],
                  ]}
                />
              </Panel>
              <Panel title={common.sync}>
                <Facts
                  facts={[
                    [
                      t.lastSync,
                      sync.lastRun ? (
                        <span key="s" className={css.row}>
                          {formatAgo(sync.lastRun.startedAt)} <RunBadge status={sync.lastRun.status} />
                        </span>
                      ) : (
                        DASH
                      ),
                    ],
                    [t.feedBuilt, formatAgo(sync.feedBuiltAt)],
                  ]}
                />
              </Panel>
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}
