import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.ts'
import { DASH, formatMoney, formatNumber } from '../../ui/format.ts'
import { Table } from '../../ui/list.tsx'
import { FailureNote } from '../../ui/loaded.tsx'
import { notify } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { useCategoryOptions } from '../categories/options.ts'
import { tagsQuery } from '../tags/options.ts'
import { t as common } from '../text.ts'
import { t } from './text.ts'

type Target = Pick<Schemas['BulkEdit'], 'ids' | 'filter' | 'all'>
type Values = Schemas['BulkValues']

const CHANGES = [
  'percent',
  'price',
  'clearPrice',
  'activate',
  'deactivate',
  'follow',
  'category',
  'addTag',
  'removeTag',
] as const
type Change = (typeof CHANGES)[number]

/** Changes many products at once, after it has shown what would change. */
export function BulkEdit({ target, onClose }: { target: Target; onClose: () => void }) {
  const [change, setChange] = useState<Change>('percent')
  const [value, setValue] = useState('')
  const categories = useCategoryOptions()
  const tags = useQuery(tagsQuery)
  const tagOptions = (tags.data ?? []).map(({ id, name }): [string, string] => [String(id), name])
  const options = change === 'category' ? categories : tagOptions

  const edit = (dryRun: boolean) =>
    got(
      api.PATCH('/api/v1/products', { params: { query: { dryRun } }, body: { ...target, set: toSet(change, value) } }),
    )
  const preview = useMutation({ mutationFn: () => edit(true), meta: { silent: true } })
  const apply = useMutation({
    mutationFn: () => edit(false),
    meta: { silent: true },
    onSuccess: ({ changed }) => {
      notify(t.changed(formatNumber(changed)))
      onClose()
    },
  })
  const choose = (next: string) => {
    preview.reset()
    setChange(oneOf(CHANGES, next) ?? 'percent')
    setValue('')
  }
  const failure = apply.error ?? preview.error

  return (
    <Dialog title={t.bulkEdit} isOpen onClose={onClose} isWide>
      <div className={css.stack}>
        <div className={css.grid}>
          <SelectField
            label={t.change}
            value={change}
            options={CHANGES.map((one) => [one, t.changes[one]])}
            onChange={choose}
          />
          {(change === 'percent' || change === 'price') && (
            <TextField label={t.value} value={value} onChange={setValue} inputMode="decimal" />
          )}
          {(change === 'category' || change === 'addTag' || change === 'removeTag') && (
            <SelectField label={t.value} value={value} options={[['', DASH], ...options]} onChange={setValue} />
          )}
        </div>
        {failure && <FailureNote error={failure} />}
        {preview.data && (
          <>
            <p>
              <strong>{t.wouldChange(formatNumber(preview.data.changed), formatNumber(preview.data.matched))}</strong>
            </p>
            {preview.data.errors.length > 0 && (
              <div className={css.bad}>
                {t.bulkFaults}
                <ul>
                  {preview.data.errors.slice(0, 10).map(({ id, message }) => (
                    <li key={id}>
                      {id}: {message}
                    </li>
                  ))}
                </ul>
              </div>
            )}
            {preview.data.sample && preview.data.sample.length > 0 && (
              <Table label={t.preview}>
                <thead>
                  <tr>
                    <th>{t.product}</th>
                    <th>{t.before}</th>
                    <th>{t.after}</th>
                  </tr>
                </thead>
                <tbody>
                  {preview.data.sample.map(({ id, name, before, after }) => (
                    <tr key={id}>
                      <td data-main>{name}</td>
                      <td data-label={t.before}>{describe(before, categories, tagOptions)}</td>
                      <td data-label={t.after}>{describe(after, categories, tagOptions)}</td>
                    </tr>
                  ))}
                </tbody>
              </Table>
            )}
          </>
        )}
        <div className={css.row}>
          <Button isPending={preview.isPending} onPress={() => preview.mutate()}>
            {t.preview}
          </Button>
          <Button
            look="primary"
            isDisabled={!preview.data || preview.data.changed === 0}
            isPending={apply.isPending}
            onPress={() => apply.mutate()}
          >
            {common.apply}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function toSet(change: Change, value: string): Schemas['BulkChange'] {
  const amount = Number(value.replace(',', '.'))
  switch (change) {
    case 'activate':
      return { active: true }
    case 'deactivate':
      return { active: false }
    case 'follow':
      return { active: null }
    case 'percent':
      return { sitePricePercent: amount }
    case 'price':
      return { sitePrice: amount }
    case 'clearPrice':
      return { sitePrice: null }
    case 'category':
      return { categoryId: Number(value) }
    case 'addTag':
      return { addTagIds: [Number(value)] }
    case 'removeTag':
      return { removeTagIds: [Number(value)] }
  }
}

type Options = readonly (readonly [string, string])[]

function describe(values: Values, categories: Options, tags: Options): string {
  const nameOf = (options: Options, id: number) => options.find(([value]) => value === String(id))?.[1] ?? String(id)
  const parts: string[] = []
  if (values.active !== undefined)
    parts.push(values.active === null ? t.changes.follow : values.active ? common.active : common.inactive)
  if (values.sitePrice !== undefined) parts.push(formatMoney(values.sitePrice))
  if (values.categoryId !== undefined)
    parts.push(values.categoryId === null ? DASH : nameOf(categories, values.categoryId))
  if (values.tagIds !== undefined) parts.push(values.tagIds.map((id) => nameOf(tags, id)).join(', ') || DASH)
  return parts.join('; ')
}
