import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got, type Schemas } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { useFilters } from '../../ui/filters.tsx'
import { formatDuration, formatNumber, formatTime } from '../../ui/format.ts'
import { Ago, Facts, Loaded, PageHead, Panel, Small } from '../../ui/list.tsx'
import { List } from '../../ui/table.tsx'
import { RunBadge } from '../run-badge.tsx'
import { useMay } from '../user.ts'
import { DeletedProducts } from './deleted.tsx'
import { SyncRunDetails } from './run.tsx'
import { t } from './text.ts'

/** What is read from the supplier, and when it was. Live events keep it fresh. */
export function Sync() {
  const may = useMay()
  const [{ page }] = useFilters()
  const [shown, setShown] = useState<number | null>(null)
  const runs = useQuery({
    queryKey: ['sync', 'runs', page],
    queryFn: () =>
      got(api.GET('/api/v1/admin/sync/runs', { params: { query: { page: Number(page ?? 0), size: 20 } } })),
    placeholderData: keepPreviousData,
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
      <PageHead title={t.sync}>
        <ConfirmButton confirm={t.reset} question={t.resetQuestion} onConfirm={() => reset.mutate()} />
        <ConfirmButton
          confirm={t.accept}
          question={t.acceptQuestion}
          isDisabled={isBusy}
          onConfirm={() => run.mutate({ acceptVanished: true })}
        />
        <ConfirmButton
          confirm={t.full}
          question={t.fullHint}
          isDisabled={isBusy}
          onConfirm={() => run.mutate({ full: true })}
        />
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
      <List
        label={t.history}
        query={runs}
        empty={t.none}
        columns={[
          {
            head: t.started,
            cell: ({ id, startedAt }) => (
              <Button look="quiet" onPress={() => setShown(id)}>
                <Ago time={startedAt} />
              </Button>
            ),
            note: ({ trigger }) => t.triggers[trigger],
          },
          { head: t.status, cell: ({ status }) => <RunBadge status={status} /> },
          { head: t.duration, cell: ({ durationMs }) => formatDuration(durationMs) },
          { head: t.products, cell: ({ types }) => types.map(describeProducts) },
          { head: t.feed, cell: ({ feed }) => feed && t.offers(formatNumber(feed.offers)) },
          {
            head: t.error,
            type: 'text',
            cell: ({ error, warnings }) => <Small isBad>{error ?? warnings[0]}</Small>,
          },
        ]}
      />
      {may('products') && <DeletedProducts />}
      {shown !== null && <SyncRunDetails id={shown} onClose={() => setShown(null)} />}
    </>
  )
}

function describeProducts({ syncType, created, updated, deactivated }: Schemas['SyncRun']['types'][number]) {
  if (syncType !== 'PRODUCTS') return ''
  return `+${formatNumber(created)} · ~${formatNumber(updated)} · −${formatNumber(deactivated)}`
}
