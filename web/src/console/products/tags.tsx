import { useQuery } from '@tanstack/react-query'
import { useChange } from '../../api/change.ts'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { DASH } from '../../ui/format.ts'
import { Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { tagsQuery } from '../options.ts'
import { productKey, type StaffProductCard } from './staff.ts'
import { t } from './text.ts'

export function ProductTags({ product }: { product: StaffProductCard }) {
  const tags = useQuery(tagsQuery)
  const ids = product.tags.map(({ id }) => id)
  const change = useChange<StaffProductCard>(productKey(product.id))
  const setTags = (tagIds: number[]) =>
    change.mutate((header) =>
      got(api.PUT('/api/v1/products/{id}/tags', { params: { path: { id: product.id }, header }, body: { tagIds } })),
    )
  const others = (tags.data ?? []).filter(({ id }) => !ids.includes(id))
  return (
    <Panel title={t.tags}>
      <div className={css.stack}>
        <div className={css.row}>
          {product.tags.map(({ id, name }) => (
            <Button
              key={id}
              aria-label={`${t.remove}: ${name}`}
              onPress={() => setTags(ids.filter((one) => one !== id))}
            >
              {name} ✕
            </Button>
          ))}
          {product.tags.length === 0 && <span className={css.muted}>{t.none}</span>}
        </div>
        <SelectField
          label={t.add}
          value=""
          options={[['', DASH], ...others.map(({ id, name }): [string, string] => [String(id), name])]}
          onChange={(value) => value !== '' && setTags([...ids, Number(value)])}
        />
      </div>
    </Panel>
  )
}
