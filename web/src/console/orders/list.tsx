import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { DateFilter, oneOf, SearchFilter, stringifySearch, TabFilter, useFilters } from '../../ui/filters.tsx'
import { formatNumber } from '../../ui/format.ts'
import { PageHead, Toolbar } from '../../ui/list.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { List } from '../../ui/table.tsx'
import { ExportButton } from '../export-button.tsx'
import { orderColumns } from './columns.tsx'
import { ORDER_STATUSES, type OrderStatus } from './status.tsx'
import { t } from './text.ts'

export function OrderList() {
  const [filters] = useFilters()
  const [selection, setSelection] = useState<ReadonlySet<number>>(new Set())
  const [bulkStatus, setBulkStatus] = useState<OrderStatus>('PROCESSING')
  const { page, sort, status, search, dateFrom, dateTo, userId } = filters
  const narrowing = { search, dateFrom, dateTo, ...(userId ? { userId: Number(userId) } : {}) }

  const orders = useQuery({
    queryKey: ['orders', filters],
    queryFn: () => {
      const query = { ...narrowing, page: Number(page ?? 0), size: 50, sort, status }
      return got(api.GET('/api/v1/admin/orders', { params: { query } }))
    },
    placeholderData: keepPreviousData,
  })
  const summary = useQuery({
    queryKey: ['orders', 'summary', narrowing],
    queryFn: () => got(api.GET('/api/v1/admin/orders/summary', { params: { query: narrowing } })),
    placeholderData: keepPreviousData,
  })
  const setStatuses = useMutation({
    mutationFn: async () => {
      const body = { ids: [...selection], status: bulkStatus }
      const { changed, errors } = await got(api.POST('/api/v1/admin/orders/bulk-status', { body }))
      notify(t.bulkDone(changed))
      for (const { id, message } of errors.slice(0, 3)) notifyFailure(`№ ${id}: ${message}`)
      setSelection(new Set(errors.map(({ id }) => id)))
    },
  })
  const select = (ids: number[], isOn: boolean) =>
    setSelection((before) => new Set(isOn ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))))
  const withCount = (one: OrderStatus): [string, string] => {
    const count = summary.data ? ` ${formatNumber(summary.data.byStatus[one])}` : ''
    return [one, t.orderStatus[one] + count]
  }
  const { number, total, placed } = orderColumns

  return (
    <>
      <PageHead title={t.orders}>
        <ExportButton
          path={`/api/v1/admin/orders/export${stringifySearch({ ...filters, page: undefined })}`}
          name="orders.csv"
        />
        <Link to="/orders/new" className={buttonClass('primary')}>
          {t.newOrder}
        </Link>
      </PageHead>
      <TabFilter name="status" label={t.status} options={[['', t.all], ...ORDER_STATUSES.map(withCount)]} />
      <Toolbar>
        <SearchFilter label={t.searchHint} />
        <DateFilter name="dateFrom" label={t.from} />
        <DateFilter name="dateTo" label={t.to} />
      </Toolbar>
      <List
        label={t.orders}
        query={orders}
        empty={t.noOrders}
        selection={{
          isSelected: ({ id }) => selection.has(id),
          onSelect: (rows, isOn) =>
            select(
              rows.map(({ id }) => id),
              isOn,
            ),
          nameOf: (order) => order.number,
        }}
        columns={[
          { ...number, sort: 'id' },
          orderColumns.status,
          orderColumns.customer,
          orderColumns.phone,
          { ...total, sort: 'total' },
          { ...placed, sort: 'createdAt' },
        ]}
      />
      {selection.size > 0 && (
        <div className={css.bar}>
          <strong>{t.selected(selection.size)}</strong>
          <SelectField
            label={t.status}
            isHiddenLabel
            value={bulkStatus}
            onChange={(value) => setBulkStatus(oneOf(t.orderStatus, value) ?? 'PROCESSING')}
            options={Object.entries(t.orderStatus)}
          />
          <Button look="primary" isPending={setStatuses.isPending} onPress={() => setStatuses.mutate()}>
            {t.setStatus}
          </Button>
          <Button look="quiet" onPress={() => setSelection(new Set())}>
            {t.clearSelection}
          </Button>
        </div>
      )}
    </>
  )
}
