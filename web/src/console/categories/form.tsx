import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { ConfirmButton } from '../../ui/button.tsx'
import { CheckField, readLine, readNumber, readText, SelectField, TextField } from '../../ui/fields.tsx'
import { formatNumber } from '../../ui/format.ts'
import page from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { SeoPreview } from '../../ui/seo-preview.tsx'
import { t as common } from '../text.ts'
import { useMay } from '../user.ts'
import { useCategoryOptions } from './options.ts'
import { t } from './text.ts'

type Category = Schemas['StaffCategory']

export function CategoryForm({
  category,
  onSaved,
  onRemoved,
}: {
  category: Category | null
  onSaved?: (saved: Category) => void
  onRemoved?: () => void
}) {
  const may = useMay()
  const options = useCategoryOptions()
  const remove = useMutation({
    mutationFn: ({ id, version }: Category) =>
      done(api.DELETE('/api/v1/categories/{id}', { params: { path: { id }, header: ifMatch(version) } })),
    ...(onRemoved ? { onSuccess: onRemoved } : {}),
  })
  return (
    <div className={page.stack}>
      {category !== null && (
        <div className={page.row}>
          <span className={page.muted}>{t.products(formatNumber(category.productCount))}</span>
          {may('products') && (
            <Link to="/products" search={{ categoryId: String(category.id) }}>
              {t.showProducts}
            </Link>
          )}
        </div>
      )}
      <RecordForm
        key={options.length > 0 ? 'ready' : 'waiting'}
        version={category?.version}
        labels={{
          name: common.name,
          parentId: t.parent,
          enabled: t.enabled,
          showInHomepage: t.showInHomepage,
          categoryLockedByGbstore: t.locked,
          hiddenReason: t.hiddenReason,
          metaTitle: common.metaTitle,
          metaDescription: common.metaDescription,
        }}
        read={(form) => ({
          name: readLine(form, 'name'),
          parentId: readNumber(form, 'parentId'),
          enabled: form.has('enabled'),
          showInHomepage: form.has('showInHomepage'),
          categoryLockedByGbstore: form.has('locked'),
          hiddenReason: readText(form, 'hiddenReason'),
          metaTitle: readText(form, 'metaTitle'),
          metaDescription: readText(form, 'metaDescription'),
        })}
        save={(body, version) =>
          category === null
            ? got(api.POST('/api/v1/categories', { body }))
            : got(
                api.PUT('/api/v1/categories/{id}', {
                  params: { path: { id: category.id }, header: ifMatch(version) },
                  body,
                }),
              )
        }
        {...(onSaved ? { onSaved } : {})}
        actions={
          category !== null && (
            <ConfirmButton
              look="danger"
              confirm={common.remove}
              question={common.removeQuestion(category.name)}
              onConfirm={() => remove.mutate(category)}
            >
              {common.remove}
            </ConfirmButton>
          )
        }
      >
        <TextField name="name" label={common.name} defaultValue={category?.name ?? ''} />
        <SelectField
          name="parentId"
          label={t.parent}
          options={[['', t.top], ...options.filter(([id]) => id !== String(category?.id))]}
          defaultValue={String(category?.parentId ?? '')}
        />
        <CheckField name="enabled" defaultSelected={category?.enabled ?? true}>
          {t.enabled}
        </CheckField>
        <CheckField name="showInHomepage" defaultSelected={category?.showInHomepage ?? false}>
          {t.showInHomepage}
        </CheckField>
        <CheckField name="locked" defaultSelected={category?.categoryLockedByGbstore ?? false}>
          {t.locked}
        </CheckField>
        <TextField name="hiddenReason" label={t.hiddenReason} defaultValue={category?.hiddenReason ?? ''} />
        {category !== null && (
          <SeoPreview slug={category.slug} title={category.seo.title} description={category.seo.description} />
        )}
        <TextField
          name="metaTitle"
          label={common.metaTitle}
          defaultValue={category?.metaTitle ?? ''}
          placeholder={category?.seo.title ?? ''}
        />
        <TextField
          name="metaDescription"
          rows={3}
          label={common.metaDescription}
          defaultValue={category?.metaDescription ?? ''}
          placeholder={category?.seo.description ?? ''}
        />
      </RecordForm>
      {category !== null && (
        <RecordForm
          version={category.version}
          labels={{ slug: common.slug }}
          read={(form) => ({ slug: readLine(form, 'slug') })}
          save={(body, version) =>
            got(
              api.PUT('/api/v1/categories/{id}/slug', {
                params: { path: { id: category.id }, header: ifMatch(version) },
                body,
              }),
            )
          }
        >
          <TextField name="slug" label={common.slug} hint={common.slugHint} defaultValue={category.slug} />
        </RecordForm>
      )}
    </div>
  )
}
