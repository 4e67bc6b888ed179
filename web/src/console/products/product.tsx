import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useChange } from '../../api/change.ts'
import { api, at, done, got } from '../../api/client.ts'
import { SelectField } from '../../ui/fields.tsx'
import { DASH, formatMoney, formatNumber, formatTime } from '../../ui/format.ts'
import { Badge, Facts, Loaded, PageHead, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RemoveButton } from '../editor.tsx'
import { ProductAttributes } from './attributes.tsx'
import { ImageSources } from './image-sources.tsx'
import { ProductImages } from './images.tsx'
import { ProductSeo } from './seo.tsx'
import { isCardForStaff, productKey, type StaffProductCard } from './staff.ts'
import { ProductTags } from './tags.tsx'
import { t } from './text.ts'
import { ProductTexts } from './texts.tsx'

export function ProductPage() {
  const { id } = useParams({ strict: false })
  const product = useQuery({
    queryKey: productKey(Number(id)),
    queryFn: () => got(api.GET('/api/v1/products/{id}', { params: { path: { id: Number(id) } } })),
  })
  return (
    <Loaded query={product}>
      {(read) => (isCardForStaff(read) ? <ProductView key={read.id} product={read} /> : null)}
    </Loaded>
  )
}

function ProductView({ product }: { product: StaffProductCard }) {
  const navigate = useNavigate()
  const path = { id: product.id }
  const change = useChange<StaffProductCard>(productKey(product.id))
  const setActive = (active: boolean | null) =>
    change.mutate((header) => got(api.PATCH('/api/v1/products/{id}', { params: { path, header }, body: { active } })))
  const remove = useMutation({
    mutationFn: () => done(api.DELETE('/api/v1/products/{id}', { params: at(product) })),
    onSuccess: () => navigate({ to: '/products' }),
  })
  return (
    <>
      <PageHead title={product.name}>
        <RemoveButton
          name={product.name}
          hint={product.externalId !== null && t.removeHint}
          onRemove={() => remove.mutate()}
        />
      </PageHead>
      <div className={css.columns}>
        <div>
          <ProductTexts product={product} />
          <ProductImages product={product} />
          <ImageSources productId={product.id} />
          <ProductAttributes product={product} />
        </div>
        <div>
          <Panel
            title={t.visibility}
            actions={
              <Badge tone={product.available ? 'good' : 'muted'}>{product.active ? t.active : t.inactive}</Badge>
            }
          >
            <div className={css.stack}>
              <SelectField
                label={t.visible}
                value={String(product.activeOverride)}
                options={[
                  ['null', t.changes.follow],
                  ['true', t.changes.activate],
                  ['false', t.changes.deactivate],
                ]}
                onChange={(value) => setActive(value === 'null' ? null : value === 'true')}
              />
              <Facts
                facts={[
                  [t.article, product.externalId ?? DASH],
                  [t.finalPrice, formatMoney(product.finalPrice)],
                  [t.stock, formatNumber(product.stock)],
                  [t.changed, formatTime(product.updatedAt)],
                ]}
              />
            </div>
          </Panel>
          <ProductTags product={product} />
          <ProductSeo product={product} />
        </div>
      </div>
    </>
  )
}
