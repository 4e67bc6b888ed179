import { useMutation } from '@tanstack/react-query'
import { api, at, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { line, number, numberOrZero, text } from '../../ui/form-data.ts'
import { DASH, formatMoney } from '../../ui/format.ts'
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
  const { category, brand } = product
  const isOwn = product.externalId === null
  return (
    <Panel title={t.texts}>
      <Overrides product={product} />
      <RecordForm
        // What is given back to the supplier is shown.
        key={product.overrides.join()}
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
            ...(categoryId === (category?.id ?? null) ? {} : { categoryId }),
            ...(brandId === (brand?.id ?? null) ? {} : { brandId }),
          }
          return got(api.PATCH('/api/v1/products/{id}', { params, body }))
        }}
      >
        <TextField name="name" label={t.name} defaultValue={product.name} />
        <div className={css.grid}>
          <SelectField
            name="categoryId"
            label={t.category}
            options={[['', t.none], ...categories]}
            defaultValue={category?.id}
          />
          <SelectField name="brandId" label={t.brand} options={[['', t.none], ...brands]} defaultValue={brand?.id} />
        </div>
        <div className={css.grid}>
          {isOwn && <TextField name="price" label={t.finalPrice} defaultValue={product.price} />}
          <TextField
            name="sitePrice"
            label={t.sitePrice}
            defaultValue={product.sitePrice}
            hint={isOwn ? undefined : t.supplierSays(formatMoney(product.price))}
          />
          {isOwn && <TextField name="stock" label={t.stock} defaultValue={product.stock} />}
        </div>
        <TextField name="description" rows={9} label={t.description} hint={t.html} defaultValue={product.description} />
      </RecordForm>
    </Panel>
  )
}

/** What no longer follows the supplier, beside what the supplier says. */
function Overrides({ product }: { product: StaffProductCard }) {
  const clear = useMutation({
    mutationFn: (member: Schemas['ProductOverride']) =>
      got(api.PATCH('/api/v1/products/{id}', { params: at(product), body: { clearOverrides: [member] } })),
  })
  const { overrides, supplier } = product
  const fields = [
    ['name', t.name, supplier.name],
    ['description', t.description, supplier.description],
    ['categoryId', t.category, supplier.category?.name],
    ['brandId', t.brand, supplier.brand?.name],
  ] as const
  if (overrides.length === 0) return null
  return (
    <ul className={css.list}>
      {fields
        .filter(([member]) => overrides.includes(member))
        .map(([member, label, value]) => (
          <li key={member} className={css.row}>
            <Badge tone="warn">{t.overridden}</Badge> {label}
            <SupplierValue text={t.supplierSays(value ?? DASH)} />
            <Button look="quiet" aria-label={`${t.asSupplier}: ${label}`} onPress={() => clear.mutate(member)}>
              {t.asSupplier}
            </Button>
          </li>
        ))}
    </ul>
  )
}

const SHORT = 120

function SupplierValue({ text }: { text: string }) {
  if (text.length <= SHORT) return <span className={css.muted}>{text}</span>
  return (
    <details>
      <summary className={css.muted}>{text.slice(0, SHORT)}…</summary>
      <p className={css.pre}>{text}</p>
    </details>
  )
}
