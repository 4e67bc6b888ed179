import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.tsx'
import { DASH, formatMoney, formatNumber } from '../../ui/format.ts'
import { FailureNote } from '../../ui/list.tsx'
import { notify } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { Table } from '../../ui/table.tsx'
import { tagsQuery, useCategoryOptions } from '../options.ts'
import { t } from './text.ts'

type Target = Pick<Schemas['BulkEdit'], 'ids' | 'filter' | 'all'>
type Values = Schemas['BulkValues']

type Change = keyof typeof t.changes

/** Changes many products at once, after it has shown what would change. */
export function BulkEdit({ target, onClose }: { target: Target; onClose: () => void }) {
  const [change, setChange] = useState<Change>('percent')
  const [value, setValue] = useState('')
  const categories = useCategoryOptions()
  const tags = useQuery(tagsQuery)
  const tagOptions = (tags.data ?? []).map(({ id, name }): [string, string] => [String(id), name])
  const options = change === 'category' ? categories : tagOptions

  const edit = (dryRun: boolean) => {
    const body = { ...target, set: toSet(change, value) }
    return got(api.PATCH('/api/v1/products', { params: { query: { dryRun } }, body }))
  }
  const preview = useMutation({ mutationFn: () => edit(true), meta: { silent: true } })
  const apply = useMutation({
    mutationFn: () => edit(false),
    meta: { silent: true },
    onSuccess: ({ changed }) => {
      notify(t.bulkDone(formatNumber(changed)))
      onClose()
    },
  })
  const choose = (next: string) => {
    preview.reset()
    setChange(oneOf(t.changes, next) ?? 'percent')
    setValue('')
  }
  const failure = apply.error ?? preview.error

  return (
    <Dialog title={t.bulkEdit} onClose={onClose} isWide>
      <div className={css.stack}>
        <div className={css.grid}>
          <SelectField label={t.change} value={change} options={Object.entries(t.changes)} onChange={choose} />
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
              <Table
                label={t.preview}
                rows={preview.data.sample}
                columns={[
                  { head: t.product, cell: ({ name }) => name },
                  { head: t.before, cell: ({ before }) => describe(before, categories, tagOptions) },
                  { head: t.after, cell: ({ after }) => describe(after, categories, tagOptions) },
                ]}
              />
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
            {t.apply}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function toSet(change: Change, value: string): Schemas['BulkChange'] {
  const amount = Number(value.replace(',', '.'))
  const id = Number(value)
  if (change === 'activate') return { active: true }
  if (change === 'deactivate') return { active: false }
  if (change === 'follow') return { active: null }
  if (change === 'percent') return { sitePricePercent: amount }
  if (change === 'price') return { sitePrice: amount }
  if (change === 'clearPrice') return { sitePrice: null }
  if (change === 'category') return { categoryId: id }
  return change === 'addTag' ? { addTagIds: [id] } : { removeTagIds: [id] }
}

type Options = readonly (readonly [string, string])[]

function describe(values: Values, categories: Options, tags: Options): string {
  const nameOf = (options: Options, id: number) => options.find(([value]) => value === String(id))?.[1] ?? String(id)
  const parts: string[] = []
  if (values.active !== undefined)
    parts.push(values.active === null ? t.changes.follow : values.active ? t.active : t.inactive)
  if (values.sitePrice !== undefined) parts.push(formatMoney(values.sitePrice))
  if (values.categoryId !== undefined)
    parts.push(values.categoryId === null ? DASH : nameOf(categories, values.categoryId))
  if (values.tagIds !== undefined) parts.push(values.tagIds.map((id) => nameOf(tags, id)).join(', ') || DASH)
  return parts.join('; ')
}
