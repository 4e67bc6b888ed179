import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { useFilters } from '../../ui/filters.tsx'
import { formatDuration, formatNumber, formatTime } from '../../ui/format.ts'
import { Empty, Loaded, PageHead, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { Pager } from '../../ui/table.tsx'
import { RunBadge } from '../run-badge.tsx'
import { FeedCategories } from './categories.tsx'
import { Snapshots } from './snapshots.tsx'
import { t } from './text.ts'

const COUNTS: { readonly [name: string]: string } = t.counts

/** The supplier's XML feed: its runs, stage by stage, and its categories. */
export function Pipeline() {
  const [{ page }] = useFilters()
  const query = { page: Number(page ?? 0), size: 5 }
  const runs = useQuery({
    queryKey: ['pipeline', 'runs', page],
    queryFn: () => got(api.GET('/api/v1/admin/xml-pipeline/runs', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const run = useMutation({
    mutationFn: (dryRun: boolean) => got(api.POST('/api/v1/admin/xml-feed/sync', { params: { query: { dryRun } } })),
  })
  const retry = useMutation({
    mutationFn: (id: number) =>
      got(api.POST('/api/v1/admin/xml-pipeline/runs/{id}/retry', { params: { path: { id } } })),
  })
  const isBusy = run.isPending || (runs.data?.content.some(({ status }) => status === 'RUNNING') ?? false)
  return (
    <>
      <PageHead title={t.pipeline}>
        <Button isDisabled={isBusy} onPress={() => run.mutate(true)}>
          {t.dryRun}
        </Button>
        <Button look="primary" isDisabled={isBusy} onPress={() => run.mutate(false)}>
          {t.run}
        </Button>
      </PageHead>
      <Loaded query={runs}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <>
              {found.content.map((one, index) => (
                <Panel
                  key={one.id}
                  title={
                    <span className={css.row}>
                      {formatTime(one.startedAt)} <RunBadge status={one.status} /> {one.dryRun && t.dry}
                    </span>
                  }
                  actions={
                    one.status === 'FAILED' &&
                    index === 0 && <Button onPress={() => retry.mutate(one.id)}>{t.retry}</Button>
                  }
                >
                  {one.error && <p className={css.bad}>{one.error}</p>}
                  <ul className={css.list}>
                    {one.stages.map((stage) => (
                      <Stage key={stage.stage} stage={stage} />
                    ))}
                  </ul>
                </Panel>
              ))}
              <Pager page={found} />
            </>
          )
        }
      </Loaded>
      <Snapshots />
      <FeedCategories />
    </>
  )
}

function Stage({ stage }: { stage: Schemas['PipelineStage'] }) {
  return (
    <li className={css.row}>
      <strong>{t.stages[stage.stage]}</strong>
      <RunBadge status={stage.status} />
      <span className={`${css.muted} ${css.small}`}>
        {formatDuration(stage.durationMs)}
        {Object.entries(stage.counts).map(([name, count]) => ` · ${COUNTS[name] ?? name}: ${formatNumber(count)}`)}
      </span>
      {stage.error && <span className={css.bad}>{stage.error}</span>}
    </li>
  )
}
