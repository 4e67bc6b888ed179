import { useQuery } from '@tanstack/react-query'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { CheckField, TextField } from '../../ui/fields.tsx'
import { checked, line, text } from '../../ui/form-data.ts'
import { formatNumber } from '../../ui/format.ts'
import { ActiveBadge, PageHead } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { tagsQuery } from '../options.ts'
import { SeoFields } from '../seo-fields.tsx'
import { t } from './text.ts'

export function Tags() {
  const tags = useQuery(tagsQuery)
  const editor = useEditor<Schemas['StaffTag']>({
    add: t.newTag,
    nameOf: ({ name }) => name,
    remove: (params) => done(api.DELETE('/api/v1/tags/{id}', { params })),
    form: (tag, close) => (
      <RecordForm
        record={tag}
        read={{
          name: line,
          slug: (form, name) => text(form, name) ?? undefined,
          enabled: checked,
          metaTitle: text,
          metaDescription: text,
        }}
        create={(body) => got(api.POST('/api/v1/tags', { body }))}
        update={(body, params) => got(api.PUT('/api/v1/tags/{id}', { params, body }))}
        onSaved={close}
      >
        <TextField name="name" label={t.name} defaultValue={tag?.name} autoFocus />
        <TextField name="slug" label={t.slug} defaultValue={tag?.slug} hint={tag ? t.slugHint : t.newSlugHint} />
        <CheckField name="enabled" label={t.enabled} defaultSelected={tag?.enabled ?? true} />
        <SeoFields record={tag} />
      </RecordForm>
    ),
  })
  return (
    <>
      <PageHead title={t.tags}>{editor.button}</PageHead>
      <List
        label={t.tags}
        query={tags}
        editor={editor}
        empty={t.none}
        columns={[
          { head: t.name, cell: ({ name }) => name },
          { head: t.slug, cell: ({ slug }) => slug },
          { head: t.products, type: 'number', cell: ({ productCount }) => formatNumber(productCount) },
          { head: t.status, cell: ({ enabled }) => <ActiveBadge isActive={enabled} /> },
        ]}
      />
    </>
  )
}
