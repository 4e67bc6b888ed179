import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import type { Filters } from '../../ui/filters.ts'
import { formatAgo } from '../../ui/format.ts'
import { Badge, Hidden, Pager, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { t } from './text.ts'

/** Each picture that was downloaded, or wasn't. */
export function Downloads({ filters, setFilters }: { filters: Filters; setFilters: (change: Filters) => void }) {
  const log = useQuery({
    queryKey: ['scraping', 'log', filters.page, filters.search],
    queryFn: () =>
      got(
        api.GET('/api/v1/admin/scrape-queue/image-log', {
          params: { query: { page: Number(filters.page ?? 0), size: 50, search: filters.search } },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const retry = useMutation({
    mutationFn: (id: number) =>
      got(api.POST('/api/v1/admin/scrape-queue/image-log/{id}/retry', { params: { path: { id } } })),
  })
  return (
    <Loaded query={log}>
      {(found) =>
        found.content.length === 0 ? (
          <Empty>{t.noLog}</Empty>
        ) : (
          <>
            <Table label={t.log}>
              <thead>
                <tr>
                  <th>{t.product}</th>
                  <th>{common.image}</th>
                  <th>{common.status}</th>
                  <th>{t.last}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {found.content.map((download) => (
                  <tr key={download.id}>
                    <td data-main>
                      <Link to="/products/$id" params={{ id: String(download.productId) }}>
                        {download.productName}
                      </Link>
                    </td>
                    <td className={css.small}>{download.imageUrl}</td>
                    <td data-label={common.status}>
                      <div>
                        <Badge tone={download.status === 'SUCCESS' ? 'good' : 'bad'}>
                          {t.downloads[download.status]}
                        </Badge>
                        {download.errorMessage && (
                          <div className={`${css.bad} ${css.small}`}>{download.errorMessage}</div>
                        )}
                      </div>
                    </td>
                    <td data-label={t.last}>{formatAgo(download.lastAttemptAt)}</td>
                    <td data-number>
                      {download.status === 'FAILED' && (
                        <Button look="quiet" onPress={() => retry.mutate(download.id)}>
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
  )
}
