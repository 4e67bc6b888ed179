import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { api, got } from '../api/client.ts'
import fields from './fields.module.css'
import { formatMoney } from './format.ts'
import css from './product-picker.module.css'
import { t } from './text.ts'

export type Picked = { id: number; name: string; price: number | null }

/** Finds a product by its name or article. */
export function ProductPicker({ onPick }: { onPick: (product: Picked) => void }) {
  const [typed, setTyped] = useState('')
  const search = typed.trim()
  const found = useQuery({
    queryKey: ['products', 'picker', search],
    queryFn: () => got(api.GET('/api/v1/products', { params: { query: { search, size: 12 } } })),
    enabled: search.length > 1,
  })
  const items = (found.data?.content ?? []).map((product) => ({
    id: product.id,
    name: product.name,
    price: product.finalPrice,
    stock: product.stock,
    image: product.images[0]?.url,
  }))
  return (
    <ComboBox
      className={fields.field}
      menuTrigger="input"
      // Else the list would open again, empty, after a product is picked.
      allowsEmptyCollection={search.length > 1}
      // The search of the API has found them, by article numbers and corrected words, too.
      defaultFilter={() => true}
      inputValue={typed}
      onInputChange={setTyped}
      items={items}
      value={null}
      onChange={(key) => {
        const picked = items.find(({ id }) => id === key)
        if (picked === undefined) return
        onPick(picked)
        setTyped('')
      }}
    >
      <Label className={fields.label}>{t.addProduct}</Label>
      <Input className={fields.input} placeholder={t.nameOrArticle} />
      <Popover className={css.popover}>
        <ListBox
          className={css.list}
          renderEmptyState={() => <div className={css.item}>{found.isFetching ? t.loading : t.nothingFound}</div>}
        >
          {(item: (typeof items)[number]) => (
            <ListBoxItem id={item.id} textValue={item.name} className={css.item}>
              {item.image ? (
                <img src={`${item.image}&width=160`} alt="" className={css.thumb} />
              ) : (
                <span className={css.thumb} />
              )}
              <span className={css.name}>{item.name}</span>
              <span>{formatMoney(item.price)}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
