import { useMutation } from '@tanstack/react-query'
import { api, at, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { line, number, numberOrZero, text } from '../../ui/form-data.ts'
import { formatMoney } from '../../ui/format.ts'
import { Badge, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { useBrandOptions, useCategoryOptions } from '../options.ts'
import type { StaffProductCard } from './staff.ts'
import { t } from './text.ts'

/** What the card says. What was changed here no longer follows the supplier, until staff give it back. */
export function ProductTexts({ product }: { product: StaffProductCard }) {
  const categories = useCategoryOptions()
  const brands = useBrandOptions()
  const isOwn = product.externalId === null
  const labels = {
    name: t.name,
    description: t.description,
    price: isOwn ? t.finalPrice : t.supplierPrice,
    sitePrice: t.sitePrice,
    categoryId: t.category,
    brandId: t.brand,
    stock: t.stock,
  }
  return (
    <Panel title={t.texts}>
      <Overrides product={product} labels={labels} />
      <RecordForm
        // The options of a select may come after the product.
        key={`${categories.length > 0}-${brands.length > 0}-${product.overrides.join()}`}
        record={product}
        read={{
          name: line,
          description: text,
          categoryId: number,
          brandId: number,
          sitePrice: number,
          ...(isOwn ? { price: number, stock: numberOrZero } : {}),
        }}
        update={({ name, description, categoryId, brandId, ...rest }, params) => {
          // What is sent becomes an override, so only what has changed is.
          const body = {
            ...rest,
            ...(name === product.name ? {} : { name }),
            ...(description === product.description ? {} : { description }),
            ...(categoryId === (product.category?.id ?? null) ? {} : { categoryId }),
            ...(brandId === (product.brand?.id ?? null) ? {} : { brandId }),
          }
          return got(api.PATCH('/api/v1/products/{id}', { params, body }))
        }}
      >
        <TextField name="name" label={labels.name} defaultValue={product.name} />
        <div className={css.grid}>
          <SelectField
            name="categoryId"
            label={labels.categoryId}
            options={[['', t.none], ...categories]}
            defaultValue={product.category?.id}
          />
          <SelectField
            name="brandId"
            label={labels.brandId}
            options={[['', t.none], ...brands]}
            defaultValue={product.brand?.id}
          />
        </div>
        <div className={css.grid}>
          {isOwn && <TextField name="price" label={labels.price} defaultValue={product.price} />}
          <TextField
            name="sitePrice"
            label={labels.sitePrice}
            defaultValue={product.sitePrice}
            hint={isOwn ? undefined : t.supplierSays(formatMoney(product.price))}
          />
          {isOwn && <TextField name="stock" label={labels.stock} defaultValue={product.stock} />}
        </div>
        <TextField
          name="description"
          rows={9}
          label={labels.description}
          hint={t.html}
          defaultValue={product.description}
        />
      </RecordForm>
    </Panel>
  )
}

function Overrides({ product, labels }: { product: StaffProductCard; labels: Record<string, string> }) {
  const clear = useMutation({
    mutationFn: (member: Schemas['ProductOverride']) =>
      got(api.PATCH('/api/v1/products/{id}', { params: at(product), body: { clearOverrides: [member] } })),
  })
  if (product.overrides.length === 0) return null
  return (
    <ul className={css.list}>
      {product.overrides.map((member) => (
        <li key={member} className={css.row}>
          <Badge tone="warn">{t.overridden}</Badge> {labels[member]}
          <Button look="quiet" onPress={() => clear.mutate(member)}>
            {t.asSupplier}
          </Button>
        </li>
      ))}
    </ul>
  )
}
