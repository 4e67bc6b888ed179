import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { useFilters } from '../../ui/filters.ts'
import { formatAgo, formatDuration, formatNumber, formatTime } from '../../ui/format.ts'
import { Facts, PageHead, Pager, Panel, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RunBadge } from '../run-badge.tsx'
import { t as common } from '../text.ts'
import { useMay } from '../user.ts'
import { DeletedProducts } from './deleted.tsx'
import { SyncRunDetails } from './run.tsx'
import { t } from './text.ts'

const RUNNING_POLL_MS = 3000

/** What is read from the supplier, and when it was. Live events keep it fresh; while a run goes on it is also polled. */
export function Sync() {
  const may = useMay()
  const [filters, setFilters] = useFilters()
  const [shown, setShown] = useState<number | null>(null)
  const runs = useQuery({
    queryKey: ['sync', 'runs', filters.page],
    queryFn: () =>
      got(api.GET('/api/v1/admin/sync/runs', { params: { query: { page: Number(filters.page ?? 0), size: 20 } } })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.content.some(({ status }) => status === 'RUNNING') ? RUNNING_POLL_MS : false,
  })
  const states = useQuery({
    queryKey: ['sync', 'states'],
    queryFn: () => got(api.GET('/api/v1/admin/sync/states')),
  })
  const run = useMutation({
    mutationFn: (query: { full?: boolean; acceptVanished?: boolean }) =>
      got(api.POST('/api/v1/admin/sync/run', { params: { query } })),
  })
  const reset = useMutation({ mutationFn: () => got(api.POST('/api/v1/admin/sync/reset')) })
  const running = runs.data?.content.find(({ status }) => status === 'RUNNING')
  const isBusy = run.isPending || running !== undefined

  return (
    <>
      <PageHead title={common.sync}>
        <ConfirmButton confirm={t.reset} question={t.resetQuestion} onConfirm={() => reset.mutate()}>
          {t.reset}
        </ConfirmButton>
        <ConfirmButton
          confirm={t.accept}
          question={t.acceptQuestion}
          isDisabled={isBusy}
          onConfirm={() => run.mutate({ acceptVanished: true })}
        >
          {t.accept}
        </ConfirmButton>
        <ConfirmButton
          confirm={t.full}
          question={t.fullHint}
          isDisabled={isBusy}
          onConfirm={() => run.mutate({ full: true })}
        >
          {t.full}
        </ConfirmButton>
        <Button look="primary" isDisabled={isBusy} onPress={() => run.mutate({})}>
          {t.run}
        </Button>
      </PageHead>
      {running && (
        <Panel title={t.running}>
          <div aria-live="polite">
            <Facts
              facts={running.types.map((type) => [
                t.types[type.syncType],
                `${t.seen} ${formatNumber(type.seen)} · ${t.created} ${formatNumber(type.created)} · ${t.updated} ${formatNumber(type.updated)}`,
              ])}
            />
          </div>
        </Panel>
      )}
      <Loaded query={states}>
        {(all) => (
          <Panel title={t.lastTimes}>
            <Facts facts={all.map(({ syncType, lastSyncTime }) => [t.types[syncType], formatTime(lastSyncTime)])} />
          </Panel>
        )}
      </Loaded>
      <h2>{t.history}</h2>
      <Loaded query={runs}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <>
              <Table label={t.history}>
                <thead>
                  <tr>
                    <th>{common.started}</th>
                    <th>{common.status}</th>
                    <th>{common.duration}</th>
                    <th>{common.products}</th>
                    <th>{t.feed}</th>
                    <th>{common.error}</th>
                  </tr>
                </thead>
                <tbody>
                  {found.content.map((one) => {
                    const products = one.types.find(({ syncType }) => syncType === 'PRODUCTS')
                    return (
                      <tr key={one.id}>
                        <td data-main title={formatTime(one.startedAt)}>
                          <Button look="quiet" onPress={() => setShown(one.id)}>
                            {formatAgo(one.startedAt)}
                          </Button>{' '}
                          <span className={`${css.muted} ${css.small}`}>{t.triggers[one.trigger]}</span>
                        </td>
                        <td data-label={common.status}>
                          <RunBadge status={one.status} />
                        </td>
                        <td data-label={common.duration}>{formatDuration(one.durationMs)}</td>
                        <td data-label={common.products}>
                          {products &&
                            `+${formatNumber(products.created)} · ~${formatNumber(products.updated)} · −${formatNumber(products.deactivated)}`}
                        </td>
                        <td data-label={t.feed}>{one.feed && t.offers(formatNumber(one.feed.offers))}</td>
                        <td className={css.bad}>{one.error ?? one.warnings[0]}</td>
                      </tr>
                    )
                  })}
                </tbody>
              </Table>
              <Pager page={found} setFilters={setFilters} />
            </>
          )
        }
      </Loaded>
      {may('products') && <DeletedProducts />}
      {shown !== null && <SyncRunDetails id={shown} onClose={() => setShown(null)} />}
    </>
  )
}
