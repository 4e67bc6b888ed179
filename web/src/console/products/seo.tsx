import { useMutation } from '@tanstack/react-query'
import { api, got, ifMatch } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { readLine, readText, TextField } from '../../ui/fields.tsx'
import { Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { SeoPreview } from '../../ui/seo-preview.tsx'
import { t as common } from '../text.ts'
import type { StaffProductCard } from './staff.ts'
import { t } from './text.ts'

export function ProductSeo({ product }: { product: StaffProductCard }) {
  const path = { id: product.id }
  const regenerate = useMutation({
    mutationFn: () =>
      got(api.POST('/api/v1/products/{id}/slug/regenerate', { params: { path, header: ifMatch(product.version) } })),
  })
  return (
    <Panel title={t.seo}>
      <div className={css.stack}>
        <SeoPreview slug={product.slug} title={product.seo.title} description={product.seo.description} />
        <RecordForm
          version={product.version}
          labels={{ metaTitle: common.metaTitle, metaDescription: common.metaDescription }}
          read={(form) => ({
            metaTitle: readText(form, 'metaTitle'),
            metaDescription: readText(form, 'metaDescription'),
          })}
          save={({ metaTitle, metaDescription }, version) =>
            got(
              api.PATCH('/api/v1/products/{id}', {
                params: { path, header: ifMatch(version) },
                body: {
                  metaTitle,
                  metaDescription,
                  clearMetaTitle: metaTitle === null,
                  clearMetaDescription: metaDescription === null,
                },
              }),
            )
          }
        >
          <TextField
            name="metaTitle"
            label={common.metaTitle}
            defaultValue={product.metaTitle ?? ''}
            placeholder={product.seo.title}
          />
          <TextField
            name="metaDescription"
            rows={3}
            label={common.metaDescription}
            defaultValue={product.metaDescription ?? ''}
            placeholder={product.seo.description}
          />
        </RecordForm>
        <RecordForm
          key={product.slug}
          version={product.version}
          labels={{ slug: common.slug }}
          read={(form) => ({ slug: readLine(form, 'slug') })}
          save={(body, version) =>
            got(api.PUT('/api/v1/products/{id}/slug', { params: { path, header: ifMatch(version) }, body }))
          }
          actions={
            <Button isPending={regenerate.isPending} onPress={() => regenerate.mutate()}>
              {t.regenerate}
            </Button>
          }
        >
          <TextField name="slug" label={common.slug} hint={common.slugHint} defaultValue={product.slug} />
        </RecordForm>
      </div>
    </Panel>
  )
}
