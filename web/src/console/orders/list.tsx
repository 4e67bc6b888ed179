import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, download, got } from '../../api/client.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf, stringifySearch, useFilters } from '../../ui/filters.ts'
import { formatAgo, formatMoney, formatNumber, formatTime } from '../../ui/format.ts'
import { PageHead, Pager, SearchField, SortHead, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { ORDER_STATUSES, OrderBadge } from './status.tsx'
import { t } from './text.ts'

export function OrderList() {
  const [filters, setFilters] = useFilters()
  const [selection, setSelection] = useState<ReadonlySet<number>>(new Set())
  const [bulkStatus, setBulkStatus] = useState('PROCESSING')
  const { page, sort, status, search, dateFrom, dateTo, userId } = filters
  const narrowing = { search, dateFrom, dateTo, ...(userId ? { userId: Number(userId) } : {}) }

  const orders = useQuery({
    queryKey: ['orders', filters],
    queryFn: () =>
      got(
        api.GET('/api/v1/admin/orders', {
          params: { query: { ...narrowing, page: Number(page ?? 0), size: 50, sort, status } },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const summary = useQuery({
    queryKey: ['orders', 'summary', narrowing],
    queryFn: () => got(api.GET('/api/v1/admin/orders/summary', { params: { query: narrowing } })),
    placeholderData: keepPreviousData,
  })
  const setStatuses = useMutation({
    mutationFn: async () => {
      const chosen = oneOf(ORDER_STATUSES, bulkStatus)
      if (chosen === undefined) return
      const body = { ids: [...selection], status: chosen }
      const { changed, errors } = await got(api.POST('/api/v1/admin/orders/bulk-status', { body }))
      notify(t.bulkDone(changed))
      for (const { id, message } of errors.slice(0, 3)) notifyFailure(`№ ${id}: ${message}`)
      setSelection(new Set(errors.map(({ id }) => id)))
    },
  })
  const toggle = (id: number, isSelected: boolean) =>
    setSelection((before) => new Set(isSelected ? [...before, id] : [...before].filter((one) => one !== id)))

  return (
    <>
      <PageHead title={common.orders}>
        <Button
          onPress={() =>
            void download(
              `/api/v1/admin/orders/export${stringifySearch({ ...filters, page: undefined })}`,
              'orders.csv',
            ).catch(notifyFailure)
          }
        >
          {common.export}
        </Button>
        <Link to="/orders/new" className={buttonClass('primary')}>
          {t.newOrder}
        </Link>
      </PageHead>
      <nav className={css.tabs} aria-label={common.status}>
        {[undefined, ...ORDER_STATUSES].map((one) => (
          <button
            key={one ?? ''}
            type="button"
            className={css.tab}
            aria-current={status === one ? 'true' : undefined}
            onClick={() => setFilters({ status: one })}
          >
            {one === undefined ? common.all : common.orderStatus[one]}
            {one !== undefined && summary.data && ` ${formatNumber(summary.data.byStatus[one])}`}
          </button>
        ))}
      </nav>
      <Toolbar>
        <SearchField label={t.searchHint} value={search} onChange={(value) => setFilters({ search: value })} />
        <TextField
          type="date"
          label={common.from}
          value={dateFrom ?? ''}
          onChange={(value) => setFilters({ dateFrom: value })}
        />
        <TextField
          type="date"
          label={common.to}
          value={dateTo ?? ''}
          onChange={(value) => setFilters({ dateTo: value })}
        />
      </Toolbar>
      <Loaded query={orders}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.noOrders}</Empty>
          ) : (
            <>
              <Table label={common.orders}>
                <thead>
                  <tr>
                    <th>
                      <CheckField
                        aria-label={common.selectAll}
                        isSelected={found.content.every(({ id }) => selection.has(id))}
                        onChange={(all) =>
                          found.content.forEach(({ id }) => {
                            toggle(id, all)
                          })
                        }
                      />
                    </th>
                    <SortHead field="id" filters={filters} setFilters={setFilters}>
                      {t.number}
                    </SortHead>
                    <th>{common.status}</th>
                    <th>{t.customer}</th>
                    <th>{t.phone}</th>
                    <SortHead field="total" filters={filters} setFilters={setFilters} isNumber>
                      {t.total}
                    </SortHead>
                    <SortHead field="createdAt" filters={filters} setFilters={setFilters}>
                      {t.placed}
                    </SortHead>
                  </tr>
                </thead>
                <tbody>
                  {found.content.map((order) => (
                    <tr key={order.id}>
                      <td>
                        <CheckField
                          aria-label={`${common.select} ${order.number}`}
                          isSelected={selection.has(order.id)}
                          onChange={(isSelected) => toggle(order.id, isSelected)}
                        />
                      </td>
                      <td data-main>
                        <Link to="/orders/$id" params={{ id: String(order.id) }}>
                          № {order.number}
                        </Link>
                      </td>
                      <td data-label={common.status}>
                        <OrderBadge status={order.status} />
                      </td>
                      <td data-label={t.customer}>{order.customerName}</td>
                      <td data-label={t.phone}>{order.customerPhone}</td>
                      <td data-label={t.total} data-number>
                        {formatMoney(order.total)}
                      </td>
                      <td data-label={t.placed} title={formatTime(order.createdAt)}>
                        {formatAgo(order.createdAt)}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
              <Pager page={found} setFilters={setFilters} />
            </>
          )
        }
      </Loaded>
      {selection.size > 0 && (
        <div className={css.bar}>
          <strong>{common.selected(selection.size)}</strong>
          <SelectField
            label={common.status}
            isHiddenLabel
            value={bulkStatus}
            onChange={setBulkStatus}
            options={ORDER_STATUSES.map((one) => [one, common.orderStatus[one]])}
          />
          <Button look="primary" isPending={setStatuses.isPending} onPress={() => setStatuses.mutate()}>
            {t.setStatus}
          </Button>
          <Button look="quiet" onPress={() => setSelection(new Set())}>
            {common.clearSelection}
          </Button>
        </div>
      )}
    </>
  )
}
