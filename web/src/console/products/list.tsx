import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { CheckFilter, SearchFilter, SelectFilter } from '../../ui/filter-fields.tsx'
import { stringifySearch, useFilters } from '../../ui/filters.ts'
import { DASH, formatMoney, formatNumber } from '../../ui/format.ts'
import { PageHead, Small, Thumb, Toolbar } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import css from '../../ui/page.module.css'
import { type Column, List } from '../../ui/table.tsx'
import { useBrandOptions } from '../brands/options.ts'
import { useCategoryOptions } from '../categories/options.ts'
import { ExportButton } from '../export-button.tsx'
import { BulkEdit } from './bulk-edit.tsx'
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
    select: (found) => ({
      ...found,
      content: found.content.flatMap((product) => (isForStaff(product) ? [product] : [])),
    }),
    placeholderData: keepPreviousData,
  })
  const columns = useColumns()
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
        <ExportButton
          path={`/api/v1/admin/products/export${stringifySearch({ ...narrowing, sort })}`}
          name="products.csv"
        />
        <NewProduct />
      </PageHead>
      <Toolbar>
        <SearchFilter label={t.searchHint} />
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

function useColumns(): Column<StaffProduct>[] {
  const patch = useMutation({
    // Without a version: only the field that is typed into is written.
    mutationFn: ({ id, ...body }: { id: number; sitePrice?: number | null; active?: boolean }) =>
      got(api.PATCH('/api/v1/products/{id}', { params: { path: { id } }, body })),
  })
  return [
    { head: t.image, type: 'image', cell: ({ images }) => <Thumb url={images[0]?.url} /> },
    {
      head: t.product,
      sort: 'name',
      cell: ({ id, name, externalId, brand }) => (
        <>
          <Link to="/products/$id" params={{ id: String(id) }}>
            {name}
          </Link>
          <Small>{[externalId, brand?.name].filter(Boolean).join(' · ')}</Small>
        </>
      ),
    },
    { head: t.category, cell: ({ category }) => category?.name },
    { head: t.supplierPrice, type: 'number', cell: ({ price }) => formatMoney(price) },
    {
      head: t.sitePrice,
      type: 'number',
      cell: ({ id, name, sitePrice: own }) => (
        <NumberField
          key={own}
          label={`${t.sitePrice}: ${name}`}
          value={own}
          onCommit={(sitePrice) => patch.mutate({ id, sitePrice })}
          onClear={() => patch.mutate({ id, sitePrice: null })}
        />
      ),
    },
    { head: t.finalPrice, type: 'number', sort: 'price', cell: ({ finalPrice }) => formatMoney(finalPrice) },
    { head: t.stock, type: 'number', sort: 'stock', cell: ({ stock }) => formatNumber(stock) },
    {
      head: t.visible,
      cell: ({ id, name, active: isActive }) => (
        <CheckField
          aria-label={`${t.visible}: ${name}`}
          isSelected={isActive}
          isDisabled={patch.isPending && patch.variables.id === id}
          onChange={(active) => patch.mutate({ id, active })}
        />
      ),
    },
  ]
}
