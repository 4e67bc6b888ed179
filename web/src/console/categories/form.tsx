import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, at, done, got, type Schemas } from '../../api/client.ts'
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx'
import { checked, line, number, text } from '../../ui/form-data.ts'
import { formatNumber } from '../../ui/format.ts'
import page from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { RemoveButton } from '../editor.tsx'
import { useCategoryOptions } from '../options.ts'
import { SeoFields } from '../seo-fields.tsx'
import { useMay } from '../user.ts'
import { t } from './text.ts'

type Category = Schemas['StaffCategory']
type Props = { category: Category | null; onSaved?: (saved: Category) => void; onRemoved?: () => void }

export function CategoryForm({ category, onSaved, onRemoved }: Props) {
  const may = useMay()
  const options = useCategoryOptions()
  const remove = useMutation({
    mutationFn: (removed: Category) => done(api.DELETE('/api/v1/categories/{id}', { params: at(removed) })),
    onSuccess: () => onRemoved?.(),
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
        record={category}
        read={{
          name: line,
          parentId: number,
          enabled: checked,
          showInHomepage: checked,
          categoryLockedByGbstore: checked,
          hiddenReason: text,
          metaTitle: text,
          metaDescription: text,
        }}
        create={(body) => got(api.POST('/api/v1/categories', { body }))}
        update={(body, params) => got(api.PUT('/api/v1/categories/{id}', { params, body }))}
        onSaved={onSaved}
        actions={category && <RemoveButton name={category.name} onRemove={() => remove.mutate(category)} />}
      >
        <TextField name="name" label={t.name} defaultValue={category?.name} />
        <SelectField
          name="parentId"
          label={t.parent}
          options={[['', t.top], ...options.filter(([id]) => id !== String(category?.id))]}
          defaultValue={category?.parentId}
        />
        <CheckField name="enabled" label={t.enabled} defaultSelected={category?.enabled ?? true} />
        <CheckField
          name="showInHomepage"
          label={t.showInHomepage}
          defaultSelected={category?.showInHomepage ?? false}
        />
        <CheckField
          name="categoryLockedByGbstore"
          label={t.locked}
          defaultSelected={category?.categoryLockedByGbstore ?? false}
        />
        <TextField name="hiddenReason" label={t.hiddenReason} defaultValue={category?.hiddenReason} />
        <SeoFields record={category} />
      </RecordForm>
      {category !== null && (
        <RecordForm
          record={category}
          read={{ slug: line }}
          update={(body, params) => got(api.PUT('/api/v1/categories/{id}/slug', { params, body }))}
        >
          <TextField name="slug" label={t.slug} hint={t.slugHint} defaultValue={category.slug} />
        </RecordForm>
      )}
    </div>
  )
}
