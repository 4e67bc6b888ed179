import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { formatDay, formatMoney, formatNumber } from '../../ui/format.ts'
import { Ago, Thumb } from '../../ui/list.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import css from '../../ui/page.module.css'
import type { Column } from '../../ui/table.tsx'
import { ProductLink } from './link.tsx'
import type { StaffProduct } from './staff.ts'
import { t } from './text.ts'

const KEY = 'shop_product_columns'
const DEFAULT = 'image,category,supplierPrice,sitePrice,finalPrice,stock,visible'

/** The columns that this browser shows, and the button that chooses them. The product itself is always shown. */
export function useColumns() {
  const columns = useAllColumns()
  const [shown, setShown] = useState(() => (localStorage.getItem(KEY) ?? DEFAULT).split(','))
  const [isChoosing, setChoosing] = useState(false)
  function show(name: string, isOn: boolean): void {
    const next = isOn ? [...shown, name] : shown.filter((one) => one !== name)
    localStorage.setItem(KEY, next.join())
    setShown(next)
  }
  const chooser = (
    <>
      <Button onPress={() => setChoosing(true)}>{t.columns}</Button>
      <Dialog title={t.columns} isOpen={isChoosing} onClose={() => setChoosing(false)}>
        <div className={css.stack}>
          {Object.entries(columns).map(([name, { head }]) => {
            if (name === 'product') return null
            const change = (isOn: boolean) => show(name, isOn)
            return <CheckField key={name} label={head} isSelected={shown.includes(name)} onChange={change} />
          })}
          <div className={css.actions}>
            <Button onPress={() => setChoosing(false)}>{t.close}</Button>
          </div>
        </div>
      </Dialog>
    </>
  )
  const visible = Object.entries(columns).filter(([name]) => name === 'product' || shown.includes(name))
  return { columns: visible.map(([, column]) => column), chooser }
}

function useAllColumns(): Record<string, Column<StaffProduct>> {
  const patch = useMutation({
    // Without a version: only the field that is typed into is written.
    mutationFn: ({ id, ...body }: { id: number; sitePrice?: number | null; active?: boolean }) =>
      got(api.PATCH('/api/v1/products/{id}', { params: { path: { id } }, body })),
  })
  return {
    image: { head: t.image, type: 'image', cell: ({ images }) => <Thumb url={images[0]?.url} /> },
    product: {
      head: t.product,
      sort: 'name',
      cell: ({ id, name }) => <ProductLink id={id} name={name} />,
      note: ({ externalId, brand }) => [externalId, brand?.name].filter(Boolean).join(' · '),
    },
    category: { head: t.category, cell: ({ category }) => category?.name },
    tags: { head: t.tags, cell: ({ tags }) => tags.map(({ name }) => name).join(', ') },
    supplierPrice: { head: t.supplierPrice, type: 'number', cell: ({ price }) => formatMoney(price) },
    sitePrice: {
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
    finalPrice: {
      head: t.finalPrice,
      type: 'number',
      sort: 'price',
      cell: ({ finalPrice }) => formatMoney(finalPrice),
    },
    stock: { head: t.stock, type: 'number', sort: 'stock', cell: ({ stock }) => formatNumber(stock) },
    left: { head: t.left, type: 'number', cell: ({ availableQuantity }) => formatNumber(availableQuantity) },
    created: { head: t.created, sort: 'createdAt', cell: ({ createdAt }) => formatDay(createdAt) },
    changed: { head: t.changed, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
    visible: {
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
  }
}
