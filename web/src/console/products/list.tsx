import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, download, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { oneOf, stringifySearch, useFilters } from '../../ui/filters.ts'
import { formatMoney, formatNumber } from '../../ui/format.ts'
import { Hidden, PageHead, Pager, SortHead, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { BulkEdit } from './bulk-edit.tsx'
import { ProductFilters } from './filters.tsx'
import { NewProduct } from './new-product.tsx'
import { PriceField } from './price.tsx'
import { isForStaff, type StaffProduct } from './staff.ts'
import { t } from './text.ts'

const SIZE = 50

export function ProductList() {
  const [filters, setFilters] = useFilters()
  const [selection, setSelection] = useState<ReadonlySet<number> | 'found'>(new Set())
  const [isEditing, setEditing] = useState(false)
  const { page, sort, search, categoryId, brandId, without } = filters
  const active = oneOf(['true', 'false'], filters.active)
  const narrowing = {
    ...(search ? { search } : {}),
    ...(categoryId ? { categoryId: Number(categoryId) } : {}),
    ...(brandId ? { brandId } : {}),
    ...(without ? { without } : {}),
    ...(active ? { active: active === 'true' } : {}),
    ...(filters.inStock ? { inStock: true } : {}),
  }
  const products = useQuery({
    queryKey: ['products', 'list', filters],
    queryFn: () =>
      got(
        api.GET('/api/v1/products', { params: { query: { ...narrowing, page: Number(page ?? 0), size: SIZE, sort } } }),
      ),
    placeholderData: keepPreviousData,
  })
  const isSelected = (id: number) => selection === 'found' || selection.has(id)
  const select = (ids: readonly number[], isOn: boolean) =>
    setSelection((before) => {
      const kept = before === 'found' ? [] : [...before]
      return new Set(isOn ? [...kept, ...ids] : kept.filter((id) => !ids.includes(id)))
    })

  return (
    <>
      <PageHead title={common.products}>
        <Button
          onPress={() =>
            void download(
              `/api/v1/admin/products/export${stringifySearch({ ...narrowing, sort })}`,
              'products.csv',
            ).catch(notifyFailure)
          }
        >
          {common.export}
        </Button>
        <NewProduct />
      </PageHead>
      <ProductFilters filters={filters} setFilters={setFilters} />
      <Loaded query={products}>
        {(found) => {
          const rows = found.content.flatMap((product) => (isForStaff(product) ? [product] : []))
          const ids = rows.map(({ id }) => id)
          const total = formatNumber(found.totalElements)
          const isPageSelected = ids.length > 0 && ids.every(isSelected)
          return (
            <>
              {found.correctedSearch && <p>{t.corrected(found.correctedSearch)}</p>}
              {rows.length === 0 ? (
                <Empty>{t.none}</Empty>
              ) : (
                <>
                  <Table label={common.products}>
                    <thead>
                      <tr>
                        <th>
                          <CheckField
                            aria-label={common.selectAll}
                            isSelected={isPageSelected}
                            onChange={(isOn) => select(ids, isOn)}
                          />
                        </th>
                        <th>
                          <Hidden>{common.image}</Hidden>
                        </th>
                        <SortHead field="name" filters={filters} setFilters={setFilters}>
                          {t.product}
                        </SortHead>
                        <th>{t.category}</th>
                        <th data-number>{t.supplierPrice}</th>
                        <th data-number>{t.sitePrice}</th>
                        <SortHead field="price" filters={filters} setFilters={setFilters} isNumber>
                          {t.finalPrice}
                        </SortHead>
                        <SortHead field="stock" filters={filters} setFilters={setFilters} isNumber>
                          {t.stock}
                        </SortHead>
                        <th>{t.visible}</th>
                      </tr>
                    </thead>
                    <tbody>
                      {rows.map((product) => (
                        <ProductRow
                          key={product.id}
                          product={product}
                          isSelected={isSelected(product.id)}
                          onSelect={(isOn) => select([product.id], isOn)}
                        />
                      ))}
                    </tbody>
                  </Table>
                  <Pager page={found} setFilters={setFilters} />
                </>
              )}
              {(selection === 'found' || selection.size > 0) && (
                <div className={css.bar}>
                  <strong>{selection === 'found' ? t.foundSelected(total) : common.selected(selection.size)}</strong>
                  {selection !== 'found' && isPageSelected && found.totalPages > 1 && (
                    <Button look="quiet" onPress={() => setSelection('found')}>
                      {t.selectFound(total)}
                    </Button>
                  )}
                  <Button look="primary" onPress={() => setEditing(true)}>
                    {t.bulkEdit}
                  </Button>
                  <Button look="quiet" onPress={() => setSelection(new Set())}>
                    {common.clearSelection}
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </Loaded>
      {isEditing && (
        <BulkEdit
          target={
            selection !== 'found'
              ? { ids: [...selection] }
              : Object.keys(narrowing).length === 0
                ? { all: true }
                : { filter: narrowing }
          }
          onClose={() => setEditing(false)}
        />
      )}
    </>
  )
}

function ProductRow({
  product,
  isSelected,
  onSelect,
}: {
  product: StaffProduct
  isSelected: boolean
  onSelect: (isOn: boolean) => void
}) {
  const { id, name } = product
  // Without a version: only the field that is typed into is written.
  const params = { path: { id } }
  const patch = useMutation({
    mutationFn: (body: { sitePrice?: number | null; active?: boolean }) =>
      got(api.PATCH('/api/v1/products/{id}', { params, body })),
  })
  const [image] = product.images
  return (
    <tr>
      <td>
        <CheckField aria-label={`${common.select} ${name}`} isSelected={isSelected} onChange={onSelect} />
      </td>
      <td>{image ? <img className={css.thumb} src={`${image.url}&width=160`} alt="" loading="lazy" /> : null}</td>
      <td data-main>
        <Link to="/products/$id" params={{ id: String(id) }}>
          {name}
        </Link>
        <div className={`${css.muted} ${css.small}`}>
          {[product.externalId, product.brand?.name].filter(Boolean).join(' · ')}
        </div>
      </td>
      <td data-label={t.category}>{product.category?.name}</td>
      <td data-label={t.supplierPrice} data-number>
        {formatMoney(product.price)}
      </td>
      <td data-label={t.sitePrice} data-number>
        <PriceField
          key={product.sitePrice}
          label={`${t.sitePrice}: ${name}`}
          value={product.sitePrice}
          onCommit={(sitePrice) => patch.mutate({ sitePrice })}
        />
      </td>
      <td data-label={t.finalPrice} data-number>
        {formatMoney(product.finalPrice)}
      </td>
      <td data-label={t.stock} data-number>
        {formatNumber(product.stock)}
      </td>
      <td data-label={t.visible}>
        <CheckField
          aria-label={`${t.visible}: ${name}`}
          isSelected={product.active}
          isDisabled={patch.isPending}
          onChange={(active) => patch.mutate({ active })}
        />
      </td>
    </tr>
  )
}
