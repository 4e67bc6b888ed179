import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { keysOf, oneOf, SearchFilter, TabFilter, useFilters } from '../../ui/filters.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Ago, Badge, PageHead, Small, Toolbar } from '../../ui/list.tsx'
import { notify } from '../../ui/notice.tsx'
import { List } from '../../ui/table.tsx'
import { ProductLink } from '../products/link.tsx'
import { t } from './text.ts'

const LOG = 'log'
const TONES = { PENDING: 'muted', IN_PROGRESS: 'accent', DONE: 'good', FAILED: 'bad' } as const

/** Pictures that are fetched from the supplier's storefront. */
export function Scraping() {
  const [{ status }] = useFilters()
  const stats = useQuery({
    queryKey: ['scraping', 'stats'],
    queryFn: () => got(api.GET('/api/v1/admin/scrape-queue/stats')),
  })
  const enqueue = useMutation({
    mutationFn: () => got(api.POST('/api/v1/admin/scrape-queue/enqueue-active-without-images')),
    onSuccess: ({ enqueued }) => notify(t.enqueued(enqueued)),
  })
  const retryFailed = useMutation({
    mutationFn: () => got(api.POST('/api/v1/admin/scrape-queue/retry-failed')),
    onSuccess: ({ enqueued }) => notify(t.enqueued(enqueued)),
  })
  const statuses = keysOf(t.statuses).map((one): [string, string] => [
    one,
    stats.data ? `${t.statuses[one]} ${formatNumber(stats.data[one])}` : t.statuses[one],
  ])
  return (
    <>
      <PageHead title={t.scraping}>
        <Button isPending={retryFailed.isPending} onPress={() => retryFailed.mutate()}>
          {t.retryFailed}
        </Button>
        <Button look="primary" isPending={enqueue.isPending} onPress={() => enqueue.mutate()}>
          {t.enqueue}
        </Button>
      </PageHead>
      <TabFilter name="status" label={t.status} options={[['', t.tasks], ...statuses, [LOG, t.log]]} />
      <Toolbar>
        <SearchFilter label={t.searchHint} />
      </Toolbar>
      {status === LOG ? <Downloads /> : <Tasks />}
    </>
  )
}

function Tasks() {
  const [filters] = useFilters()
  const { page, search } = filters
  const query = { page: Number(page ?? 0), size: 50, search, status: oneOf(t.statuses, filters.status) }
  const tasks = useQuery({
    queryKey: ['scraping', 'tasks', filters],
    queryFn: () => got(api.GET('/api/v1/admin/scrape-queue', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const retry = useMutation({
    mutationFn: (id: number) => got(api.POST('/api/v1/admin/scrape-queue/{id}/retry', { params: { path: { id } } })),
  })
  return (
    <List
      label={t.tasks}
      query={tasks}
      empty={t.none}
      columns={[
        { head: t.product, cell: ({ productId, productName }) => <ProductLink id={productId} name={productName} /> },
        { head: t.status, cell: ({ status }) => <Badge tone={TONES[status]}>{t.statuses[status]}</Badge> },
        { head: t.attempts, type: 'number', cell: ({ attempts }) => attempts },
        { head: t.changed, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
        { head: t.error, type: 'text', cell: ({ errorMessage }) => <Small isBad>{errorMessage}</Small> },
        {
          head: t.actions,
          type: 'actions',
          cell: ({ id, status }) => status === 'FAILED' && <RepeatButton onPress={() => retry.mutate(id)} />,
        },
      ]}
    />
  )
}

/** Each picture that was downloaded, or wasn't. */
function Downloads() {
  const [{ page, search }] = useFilters()
  const query = { page: Number(page ?? 0), size: 50, search }
  const log = useQuery({
    queryKey: ['scraping', 'log', page, search],
    queryFn: () => got(api.GET('/api/v1/admin/scrape-queue/image-log', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const retry = useMutation({
    mutationFn: (id: number) =>
      got(api.POST('/api/v1/admin/scrape-queue/image-log/{id}/retry', { params: { path: { id } } })),
  })
  return (
    <List
      label={t.log}
      query={log}
      empty={t.noLog}
      columns={[
        { head: t.product, cell: ({ productId, productName }) => <ProductLink id={productId} name={productName} /> },
        { head: t.image, type: 'text', cell: ({ imageUrl }) => <Small>{imageUrl}</Small> },
        {
          head: t.status,
          cell: ({ status, errorMessage }) => (
            <>
              <Badge tone={status === 'SUCCESS' ? 'good' : 'bad'}>{t.downloads[status]}</Badge>{' '}
              <Small isBad>{errorMessage}</Small>
            </>
          ),
        },
        { head: t.last, cell: ({ lastAttemptAt }) => <Ago time={lastAttemptAt} /> },
        {
          head: t.actions,
          type: 'actions',
          cell: ({ id, status }) => status === 'FAILED' && <RepeatButton onPress={() => retry.mutate(id)} />,
        },
      ]}
    />
  )
}

function RepeatButton({ onPress }: { onPress: () => void }) {
  return (
    <Button look="quiet" onPress={onPress}>
      {t.repeat}
    </Button>
  )
}
