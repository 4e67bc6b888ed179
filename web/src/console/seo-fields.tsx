import { TextField } from '../ui/fields.tsx'
import css from '../ui/page.module.css'
import { t } from './text.ts'

type Seo = {
  slug: string
  metaTitle: string | null
  metaDescription: string | null
  seo: { title: string; description: string }
}

/** Title and description for search engines, and about what those show. */
export function SeoFields({ record }: { record: Seo | null }) {
  return (
    <>
      {record && (
        <div className={css.pre}>
          <div className={css.muted}>… › {record.slug}</div>
          <strong>{record.seo.title}</strong>
          <div>{record.seo.description}</div>
        </div>
      )}
      <TextField
        name="metaTitle"
        label={t.metaTitle}
        defaultValue={record?.metaTitle}
        placeholder={record?.seo.title ?? ''}
      />
      <TextField
        name="metaDescription"
        rows={3}
        label={t.metaDescription}
        defaultValue={record?.metaDescription}
        placeholder={record?.seo.description ?? ''}
      />
    </>
  )
}
