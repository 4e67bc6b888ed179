import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { formatAgo, formatMoney } from '../../ui/format.ts'
import { Panel, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { OrderBadge } from '../orders/status.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

export function LastOrders() {
  const orders = useQuery({
    queryKey: ['orders', 'last'],
    queryFn: () => got(api.GET('/api/v1/admin/orders', { params: { query: { size: 8 } } })),
  })
  return (
    <Panel title={t.lastOrders} actions={<Link to="/orders">{common.all}</Link>}>
      <Loaded query={orders}>
        {({ content }) =>
          content.length === 0 ? (
            <Empty>{t.noOrders}</Empty>
          ) : (
            <Table label={t.lastOrders}>
              <tbody>
                {content.map((order) => (
                  <tr key={order.id}>
                    <td data-main>
                      <Link to="/orders/$id" params={{ id: String(order.id) }}>
                        № {order.number}
                      </Link>
                    </td>
                    <td>
                      <OrderBadge status={order.status} />
                    </td>
                    <td>{order.customerName}</td>
                    <td data-number>{formatMoney(order.total)}</td>
                    <td>{formatAgo(order.createdAt)}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}
