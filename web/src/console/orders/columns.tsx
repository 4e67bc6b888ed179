import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { formatMoney } from '../../ui/format.ts'
import { Ago } from '../../ui/list.tsx'
import type { Column } from '../../ui/table.tsx'
import { OrderBadge } from './status.tsx'
import { t } from './text.ts'

type Order = Schemas['StaffOrder']

export const orderColumns = {
  number: {
    head: t.number,
    cell: ({ id, number }) => (
      <Link to="/orders/$id" params={{ id: String(id) }}>
        № {number}
      </Link>
    ),
  },
  status: { head: t.status, cell: ({ status }) => <OrderBadge status={status} /> },
  customer: { head: t.customer, cell: ({ customerName }) => customerName },
  phone: { head: t.phone, cell: ({ customerPhone }) => customerPhone },
  total: { head: t.total, type: 'number', cell: ({ total }) => formatMoney(total) },
  placed: { head: t.placed, cell: ({ createdAt }) => <Ago time={createdAt} /> },
} satisfies Record<string, Column<Order>>
