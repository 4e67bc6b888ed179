import { api, got, ifMatch, type Schemas } from '../../api/client.ts'
import { CheckField, readLine, readNumber, SelectField, TextField } from '../../ui/fields.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

const RATINGS = ['5', '4', '3', '2', '1']

export function ReviewForm({ review, onSaved }: { review: Schemas['StaffReview'] | null; onSaved: () => void }) {
  const labels = {
    author: t.author,
    rating: t.rating,
    text: t.text,
    reviewDate: t.date,
    productId: t.product,
    displayOrder: common.order,
    active: common.active,
  }
  return (
    <RecordForm
      version={review?.version}
      labels={labels}
      read={(form) => ({
        author: readLine(form, 'author'),
        rating: readNumber(form, 'rating') ?? 5,
        text: readLine(form, 'text'),
        reviewDate: readLine(form, 'reviewDate'),
        productId: readNumber(form, 'productId'),
        displayOrder: readNumber(form, 'displayOrder') ?? 0,
        active: form.has('active'),
      })}
      save={(body, version) =>
        review === null
          ? got(api.POST('/api/v1/reviews', { body }))
          : got(
              api.PUT('/api/v1/reviews/{id}', { params: { path: { id: review.id }, header: ifMatch(version) }, body }),
            )
      }
      onSaved={onSaved}
    >
      <TextField name="author" label={labels.author} defaultValue={review?.author ?? ''} autoFocus />
      <div className={css.grid}>
        <SelectField
          name="rating"
          label={labels.rating}
          options={RATINGS.map((one) => [one, `${one} ★`])}
          defaultValue={String(review?.rating ?? 5)}
        />
        <TextField
          name="reviewDate"
          type="date"
          label={labels.reviewDate}
          defaultValue={review?.reviewDate ?? new Date().toISOString().slice(0, 10)}
        />
      </div>
      <TextField name="text" rows={5} label={labels.text} defaultValue={review?.text ?? ''} />
      <div className={css.grid}>
        <TextField
          name="productId"
          label={labels.productId}
          hint={t.productHint}
          defaultValue={String(review?.productId ?? '')}
        />
        <TextField name="displayOrder" label={common.order} defaultValue={String(review?.displayOrder ?? 0)} />
      </div>
      <CheckField name="active" defaultSelected={review?.active ?? true}>
        {common.active}
      </CheckField>
    </RecordForm>
  )
}
