import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import type { Filters } from '../../ui/filters.tsx'
import { DASH, formatAgo, formatMoney, formatNumber } from '../../ui/format.ts'
import { Facts, Loaded, PageHead, Panel, Tile } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { OrdersByDay } from '../desk/orders-by-day.tsx'
import { ORDER_STATUSES } from '../orders/status.tsx'
import { RunBadge } from '../run-badge.tsx'
import { t } from './text.ts'

/** The key figures of the shop; each number leads to its records. */
export function Dashboard() {
  const dashboard = useQuery({ queryKey: ['dashboard'], queryFn: () => got(api.GET('/api/v1/admin/dashboard')) })
  return (
    <>
      <PageHead title={t.dashboard} />
      <Loaded query={dashboard}>
        {({ orders, revenue, waiting, sync, products }) => (
          <>
            <section className={css.tiles} aria-label={t.revenue}>
              {(['today', 'days7', 'days30'] as const).map((period) => (
                <div key={period} className={css.tile}>
                  <Tile value={formatMoney(revenue[period])}>{`${t.revenue}: ${t[period]}`}</Tile>
                </div>
              ))}
            </section>
            <OrdersByDay />
            <div className={css.grid}>
              <Panel title={t.waiting}>
                <Facts
                  facts={[
                    [t.newOrders, toRecords(waiting.newOrders, '/orders', { status: 'NEW' })],
                    [t.submitErrors, toRecords(waiting.submitErrors, '/orders', { status: 'ERROR' })],
                    [t.newContacts, toRecords(waiting.newContacts, '/contacts', { status: 'NEW' })],
                    [t.failedMails, toRecords(waiting.failedMails, '/mails', { status: 'FAILED' })],
                  ]}
                />
              </Panel>
              <Panel title={t.orders}>
                <Facts
                  facts={ORDER_STATUSES.map((status) => [
                    t.orderStatus[status],
                    toRecords(orders[status], '/orders', { status }),
                  ])}
                />
              </Panel>
              <Panel title={t.catalogue}>
                <Facts
                  facts={[
                    [t.activeProducts, toRecords(products.active, '/products', { active: 'true' })],
                    [t.withoutPrice, toRecords(products.withoutPrice, '/products', { without: 'price' })],
                    [t.withoutImage, toRecords(products.withoutImage, '/products', { without: 'image' })],
                    [t.withoutCategory, toRecords(products.withoutCategory, '/products', { without: 'category' })],
                  ]}
                />
              </Panel>
              <Panel title={t.sync}>
                <Facts
                  facts={[
                    [t.lastSync, sync.lastRun ? formatAgo(sync.lastRun.startedAt) : DASH],
                    [t.status, sync.lastRun ? <RunBadge key="run" status={sync.lastRun.status} /> : DASH],
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

function toRecords(count: number, to: string, search: Filters) {
  return (
    <Link to={to} search={search}>
      {formatNumber(count)}
    </Link>
  )
}
