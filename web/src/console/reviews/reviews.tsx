import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { api, done, download, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { oneOf, useFilters } from '../../ui/filters.ts'
import { formatDay } from '../../ui/format.ts'
import { Badge, Hidden, PageHead, Pager, SortHead, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { ReviewForm } from './form.tsx'
import { t } from './text.ts'

type Review = Schemas['StaffReview']

export function Reviews() {
  const [filters, setFilters] = useFilters()
  const [editing, setEditing] = useState<Review | 'new' | null>(null)
  const active = oneOf(['true', 'false'], filters.active)
  const reviews = useQuery({
    queryKey: ['reviews', filters],
    queryFn: () =>
      got(
        api.GET('/api/v1/reviews', {
          params: {
            query: {
              page: Number(filters.page ?? 0),
              size: 50,
              sort: filters.sort,
              ...(active ? { active: active === 'true' } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const remove = useMutation({
    mutationFn: ({ id, version }: Review) =>
      done(api.DELETE('/api/v1/reviews/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  const importFile = useMutation({
    mutationFn: async (file: File) => {
      const body = JSON.parse(await file.text())
      return got(api.POST('/api/v1/reviews/import', { body }))
    },
    meta: { silent: true },
    onSuccess: ({ created, updated, unchanged }) => notify(t.importResult(created, updated, unchanged)),
    onError: (error) => notifyFailure(error instanceof SyntaxError ? t.notJson : error),
  })
  return (
    <>
      <PageHead title={common.reviews}>
        <Button onPress={() => void download('/api/v1/reviews/export', 'reviews.json').catch(notifyFailure)}>
          {t.export}
        </Button>
        <FileTrigger
          acceptedFileTypes={['application/json']}
          onSelect={(files) => {
            const file = files?.item(0)
            if (file) importFile.mutate(file)
          }}
        >
          <Button isPending={importFile.isPending}>{t.import}</Button>
        </FileTrigger>
        <Button look="primary" onPress={() => setEditing('new')}>
          {t.newReview}
        </Button>
      </PageHead>
      <Toolbar>
        <SelectField
          label={common.status}
          value={filters.active ?? ''}
          options={[
            ['', common.all],
            ['true', common.active],
            ['false', common.inactive],
          ]}
          onChange={(value) => setFilters({ active: value })}
        />
      </Toolbar>
      <Loaded query={reviews}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <>
              <Table label={common.reviews}>
                <thead>
                  <tr>
                    <th>{t.author}</th>
                    <SortHead field="rating" filters={filters} setFilters={setFilters} isNumber>
                      {t.rating}
                    </SortHead>
                    <th>{t.text}</th>
                    <th>{t.product}</th>
                    <SortHead field="reviewDate" filters={filters} setFilters={setFilters}>
                      {t.date}
                    </SortHead>
                    <th>{common.status}</th>
                    <th>
                      <Hidden>{common.actions}</Hidden>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {found.content.map((review) => (
                    <tr key={review.id}>
                      <td data-main>{review.author}</td>
                      <td data-label={t.rating} data-number>
                        {review.rating} ★
                      </td>
                      <td>{review.text.slice(0, 140)}</td>
                      <td data-label={t.product}>{review.productId ?? t.ofShop}</td>
                      <td data-label={t.date}>{formatDay(review.reviewDate)}</td>
                      <td data-label={common.status}>
                        <Badge tone={review.active ? 'good' : 'muted'}>
                          {review.active ? common.active : common.inactive}
                        </Badge>
                      </td>
                      <td data-number>
                        <RowActions
                          name={review.author}
                          onEdit={() => setEditing(review)}
                          onRemove={() => remove.mutate(review)}
                        />
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
      {editing !== null && (
        <Dialog title={editing === 'new' ? t.newReview : editing.author} isOpen onClose={() => setEditing(null)}>
          <ReviewForm review={editing === 'new' ? null : editing} onSaved={() => setEditing(null)} />
        </Dialog>
      )}
    </>
  )
}
