import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { FileTrigger } from 'react-aria-components'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx'
import { SelectFilter, useFilters } from '../../ui/filters.tsx'
import { checked, line, number, numberOrZero } from '../../ui/form-data.ts'
import { formatDay } from '../../ui/format.ts'
import { ActiveBadge, PageHead, Toolbar } from '../../ui/list.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { ExportButton } from '../export-button.tsx'
import { t } from './text.ts'

type Review = Schemas['StaffReview']

const RATINGS = ['5', '4', '3', '2', '1']
const ACTIVE_OR_NOT = [
  ['true', t.active],
  ['false', t.inactive],
] as const

export function Reviews() {
  const [filters] = useFilters()
  const { page, sort, active } = filters
  const reviews = useQuery({
    queryKey: ['reviews', filters],
    queryFn: () => {
      const query = { page: Number(page ?? 0), size: 50, sort, ...(active ? { active: active === 'true' } : {}) }
      return got(api.GET('/api/v1/reviews', { params: { query } }))
    },
    placeholderData: keepPreviousData,
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
  const editor = useEditor<Review>({
    add: t.newReview,
    nameOf: ({ author }) => author,
    remove: (params) => done(api.DELETE('/api/v1/reviews/{id}', { params })),
    form: (review, close) => <ReviewForm review={review} onSaved={close} />,
  })
  return (
    <>
      <PageHead title={t.reviews}>
        <ExportButton path="/api/v1/reviews/export" name="reviews.json" label={t.export} />
        <FileTrigger
          acceptedFileTypes={['application/json']}
          onSelect={(files) => {
            const file = files?.item(0)
            if (file) importFile.mutate(file)
          }}
        >
          <Button isPending={importFile.isPending}>{t.import}</Button>
        </FileTrigger>
        {editor.button}
      </PageHead>
      <Toolbar>
        <SelectFilter name="active" label={t.status} options={ACTIVE_OR_NOT} />
      </Toolbar>
      <List
        label={t.reviews}
        query={reviews}
        editor={editor}
        empty={t.none}
        columns={[
          { head: t.author, cell: ({ author }) => author },
          { head: t.rating, type: 'number', sort: 'rating', cell: ({ rating }) => `${rating} ★` },
          { head: t.text, type: 'text', cell: ({ text }) => text.slice(0, 140) },
          { head: t.product, cell: ({ productId }) => productId ?? t.ofShop },
          { head: t.date, sort: 'reviewDate', cell: ({ reviewDate }) => formatDay(reviewDate) },
          { head: t.status, cell: ({ active: isActive }) => <ActiveBadge isActive={isActive} /> },
        ]}
      />
    </>
  )
}

function ReviewForm({ review, onSaved }: { review: Review | null; onSaved: () => void }) {
  const today = new Date().toISOString().slice(0, 10)
  return (
    <RecordForm
      record={review}
      read={{
        author: line,
        rating: numberOrZero,
        text: line,
        reviewDate: line,
        productId: number,
        displayOrder: numberOrZero,
        active: checked,
      }}
      create={(body) => got(api.POST('/api/v1/reviews', { body }))}
      update={(body, params) => got(api.PUT('/api/v1/reviews/{id}', { params, body }))}
      onSaved={onSaved}
    >
      <TextField name="author" label={t.author} defaultValue={review?.author} autoFocus />
      <div className={css.grid}>
        <SelectField
          name="rating"
          label={t.rating}
          options={RATINGS.map((one) => [one, `${one} ★`])}
          defaultValue={review?.rating ?? 5}
        />
        <TextField name="reviewDate" type="date" label={t.date} defaultValue={review?.reviewDate ?? today} />
      </div>
      <TextField name="text" rows={5} label={t.text} defaultValue={review?.text} />
      <div className={css.grid}>
        <TextField name="productId" label={t.product} hint={t.productHint} defaultValue={review?.productId} />
        <TextField name="displayOrder" label={t.order} defaultValue={review?.displayOrder ?? 0} />
      </div>
      <CheckField name="active" label={t.active} defaultSelected={review?.active ?? true} />
    </RecordForm>
  )
}
