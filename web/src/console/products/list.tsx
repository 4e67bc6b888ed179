import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { CheckFilter, SearchFilter, SelectFilter, stringifySearch, useFilters } from '../../ui/filters.tsx'
import { DASH, formatNumber } from '../../ui/format.ts'
import { Loaded, PageHead, Toolbar } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { List } from '../../ui/table.tsx'
import { ExportButton } from '../export-button.tsx'
import { useBrandOptions, useCategoryOptions } from '../options.ts'
import { BulkEdit } from './bulk-edit.tsx'
import { useColumns } from './columns.tsx'
import { NewProduct } from './new-product.tsx'
import { isForStaff, type StaffProduct } from './staff.ts'
import { t } from './text.ts'

const SIZE = 50
const YES_OR_NO = [
  ['true', t.yes],
  ['false', t.no],
] as const

export function ProductList() {
  const [filters] = useFilters()
  const [selection, setSelection] = useState<ReadonlySet<number> | 'found'>(new Set())
  const [isEditing, setEditing] = useState(false)
  const categories = useCategoryOptions()
  const brands = useBrandOptions()
  const { page, sort, search, categoryId, brandId, without, active, inStock } = filters
  const narrowing = {
    ...(search ? { search } : {}),
    ...(categoryId ? { categoryId: Number(categoryId) } : {}),
    ...(brandId ? { brandId } : {}),
    ...(without ? { without } : {}),
    ...(active ? { active: active === 'true' } : {}),
    ...(inStock ? { inStock: true } : {}),
  }
  const products = useQuery({
    queryKey: ['products', 'list', filters],
    queryFn: () => {
      const query = { ...narrowing, page: Number(page ?? 0), size: SIZE, sort }
      return got(api.GET('/api/v1/products', { params: { query } }))
    },
    select: (found) => ({ ...found, content: [...found.content].filter(isForStaff) }),
    placeholderData: keepPreviousData,
  })
  const { columns, chooser } = useColumns()
  const isSelected = ({ id }: StaffProduct) => selection === 'found' || selection.has(id)
  const select = (rows: readonly StaffProduct[], isOn: boolean) =>
    setSelection((before) => {
      const kept = before === 'found' ? [] : [...before]
      const ids = rows.map(({ id }) => id)
      return new Set(isOn ? [...kept, ...ids] : kept.filter((id) => !ids.includes(id)))
    })
  const isFiltered = Object.keys(narrowing).length > 0
  const target =
    selection !== 'found' ? { ids: [...selection] } : isFiltered ? { filter: narrowing } : { all: true as const }

  return (
    <>
      <PageHead title={t.products}>
        {chooser}
        <ExportButton
          path={`/api/v1/admin/products/export${stringifySearch({ ...narrowing, sort })}`}
          name="products.csv"
        />
        <NewProduct />
      </PageHead>
      <Toolbar>
        <SearchFilter label={t.nameOrArticle} />
        <SelectFilter name="categoryId" label={t.category} options={categories} />
        <SelectFilter name="brandId" label={t.brand} options={brands} />
        <SelectFilter name="active" label={t.visible} options={YES_OR_NO} />
        <SelectFilter name="without" label={t.lacks} options={Object.entries(t.without)} all={DASH} />
        <CheckFilter name="inStock" label={t.inStock} />
      </Toolbar>
      {products.data?.correctedSearch && <p>{t.corrected(products.data.correctedSearch)}</p>}
      <List
        label={t.products}
        query={products}
        empty={t.noProducts}
        selection={{ isSelected, onSelect: select, nameOf: ({ name }) => name }}
        columns={columns}
      />
      {(selection === 'found' || selection.size > 0) && (
        <Loaded query={products}>
          {({ content, totalElements, totalPages }) => (
            <div className={css.bar}>
              <strong>
                {selection === 'found' ? t.foundSelected(formatNumber(totalElements)) : t.selected(selection.size)}
              </strong>
              {selection !== 'found' && content.every(isSelected) && totalPages > 1 && (
                <Button look="quiet" onPress={() => setSelection('found')}>
                  {t.selectFound(formatNumber(totalElements))}
                </Button>
              )}
              <Button look="primary" onPress={() => setEditing(true)}>
                {t.bulkEdit}
              </Button>
              <Button look="quiet" onPress={() => setSelection(new Set())}>
                {t.clearSelection}
              </Button>
            </div>
          )}
        </Loaded>
      )}
      {isEditing && <BulkEdit target={target} onClose={() => setEditing(false)} />}
    </>
  )
}
