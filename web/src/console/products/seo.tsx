import { useMutation } from '@tanstack/react-query'
import { api, at, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields.tsx'
import { line, text } from '../../ui/form-data.ts'
import { Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { SeoFields } from '../seo-fields.tsx'
import type { StaffProductCard } from './staff.ts'
import { t } from './text.ts'

export function ProductSeo({ product }: { product: StaffProductCard }) {
  const regenerate = useMutation({
    mutationFn: () => got(api.POST('/api/v1/products/{id}/slug/regenerate', { params: at(product) })),
  })
  return (
    <Panel title={t.seo}>
      <div className={css.stack}>
        <RecordForm
          record={product}
          read={{ metaTitle: text, metaDescription: text }}
          update={({ metaTitle, metaDescription }, params) => {
            const clear = { clearMetaTitle: metaTitle === null, clearMetaDescription: metaDescription === null }
            return got(api.PATCH('/api/v1/products/{id}', { params, body: { metaTitle, metaDescription, ...clear } }))
          }}
        >
          <SeoFields record={product} />
        </RecordForm>
        <RecordForm
          key={product.slug}
          record={product}
          read={{ slug: line }}
          update={(body, params) => got(api.PUT('/api/v1/products/{id}/slug', { params, body }))}
          actions={
            <Button isPending={regenerate.isPending} onPress={() => regenerate.mutate()}>
              {t.regenerate}
            </Button>
          }
        >
          <TextField name="slug" label={t.slug} hint={t.slugHint} defaultValue={product.slug} />
        </RecordForm>
      </div>
    </Panel>
  )
}
