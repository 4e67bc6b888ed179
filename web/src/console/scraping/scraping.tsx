import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { oneOf, useFilters } from '../../ui/filters.ts'
import { formatAgo, formatNumber } from '../../ui/format.ts'
import { Badge, Hidden, PageHead, Pager, SearchField, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { notify } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { Downloads } from './downloads.tsx'
import { t } from './text.ts'

const STATUSES = ['PENDING', 'IN_PROGRESS', 'DONE', 'FAILED'] as const
const TONES = { PENDING: 'muted', IN_PROGRESS: 'accent', DONE: 'good', FAILED: 'bad' } as const

/** Pictures that are fetched from the supplier's storefront. */
export function Scraping() {
  const [filters, setFilters] = useFilters()
  const status = oneOf(STATUSES, filters.status)
  const isLog = filters.view === 'log'
  const stats = useQuery({
    queryKey: ['scraping', 'stats'],
    queryFn: () => got(api.GET('/api/v1/admin/scrape-queue/stats')),
  })
  const tasks = useQuery({
    queryKey: ['scraping', 'tasks', filters],
    queryFn: () =>
      got(
        api.GET('/api/v1/admin/scrape-queue', {
          params: {
            query: {
              page: Number(filters.page ?? 0),
              size: 50,
              search: filters.search,
              ...(status ? { status } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    enabled: !isLog,
  })
  const enqueue = useMutation({
    mutationFn: () => got(api.POST('/api/v1/admin/scrape-queue/enqueue-active-without-images')),
    onSuccess: ({ enqueued }) => notify(t.enqueued(enqueued)),
  })
  const retryFailed = useMutation({
    mutationFn: () => got(api.POST('/api/v1/admin/scrape-queue/retry-failed')),
    onSuccess: ({ enqueued }) => notify(t.enqueued(enqueued)),
  })
  const retry = useMutation({
    mutationFn: (id: number) => got(api.POST('/api/v1/admin/scrape-queue/{id}/retry', { params: { path: { id } } })),
  })
  return (
    <>
      <PageHead title={common.scraping}>
        <Button isPending={retryFailed.isPending} onPress={() => retryFailed.mutate()}>
          {t.retryFailed}
        </Button>
        <Button look="primary" isPending={enqueue.isPending} onPress={() => enqueue.mutate()}>
          {t.enqueue}
        </Button>
      </PageHead>
      <nav className={css.tabs} aria-label={common.status}>
        {[undefined, ...STATUSES].map((one) => (
          <button
            key={one ?? ''}
            type="button"
            className={css.tab}
            aria-current={!isLog && status === one ? 'true' : undefined}
            onClick={() => setFilters({ status: one, view: undefined })}
          >
            {one === undefined ? t.tasks : t.statuses[one]}
            {one !== undefined && stats.data && ` ${formatNumber(stats.data[one])}`}
          </button>
        ))}
        <button
          type="button"
          className={css.tab}
          aria-current={isLog ? 'true' : undefined}
          onClick={() => setFilters({ view: 'log', status: undefined })}
        >
          {t.log}
        </button>
      </nav>
      <Toolbar>
        <SearchField label={t.searchHint} value={filters.search} onChange={(value) => setFilters({ search: value })} />
      </Toolbar>
      {isLog ? (
        <Downloads filters={filters} setFilters={setFilters} />
      ) : (
        <Loaded query={tasks}>
          {(found) =>
            found.content.length === 0 ? (
              <Empty>{t.none}</Empty>
            ) : (
              <>
                <Table label={t.tasks}>
                  <thead>
                    <tr>
                      <th>{t.product}</th>
                      <th>{common.status}</th>
                      <th data-number>{t.attempts}</th>
                      <th>{common.changed}</th>
                      <th>{common.error}</th>
                      <th>
                        <Hidden>{common.actions}</Hidden>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {found.content.map((task) => (
                      <tr key={task.id}>
                        <td data-main>
                          <Link to="/products/$id" params={{ id: String(task.productId) }}>
                            {task.productName}
                          </Link>
                        </td>
                        <td data-label={common.status}>
                          <Badge tone={TONES[task.status]}>{t.statuses[task.status]}</Badge>
                        </td>
                        <td data-label={t.attempts} data-number>
                          {task.attempts}
                        </td>
                        <td data-label={common.changed}>{formatAgo(task.updatedAt)}</td>
                        <td className={css.bad}>{task.errorMessage}</td>
                        <td data-number>
                          {task.status === 'FAILED' && (
                            <Button look="quiet" onPress={() => retry.mutate(task.id)}>
                              {t.repeat}
                            </Button>
                          )}
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
      )}
    </>
  )
}
