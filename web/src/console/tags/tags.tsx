import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, readLine, readText, TextField } from '../../ui/fields.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Badge, Hidden, PageHead, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { tagsQuery } from './options.ts'
import { t } from './text.ts'

type Tag = Schemas['StaffTag']

export function Tags() {
  const tags = useQuery(tagsQuery)
  const [editing, setEditing] = useState<Tag | 'new' | null>(null)
  const remove = useMutation({
    mutationFn: ({ id, version }: Tag) =>
      done(api.DELETE('/api/v1/tags/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  return (
    <>
      <PageHead title={common.tags}>
        <Button look="primary" onPress={() => setEditing('new')}>
          {t.newTag}
        </Button>
      </PageHead>
      <Loaded query={tags}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <Table label={common.tags}>
              <thead>
                <tr>
                  <th>{common.name}</th>
                  <th>{common.slug}</th>
                  <th data-number>{t.products}</th>
                  <th>{common.status}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((tag) => (
                  <tr key={tag.id}>
                    <td data-main>{tag.name}</td>
                    <td data-label={common.slug}>{tag.slug}</td>
                    <td data-label={t.products} data-number>
                      {formatNumber(tag.productCount)}
                    </td>
                    <td data-label={common.status}>
                      <Badge tone={tag.enabled ? 'good' : 'muted'}>
                        {tag.enabled ? common.active : common.inactive}
                      </Badge>
                    </td>
                    <td data-number>
                      <RowActions name={tag.name} onEdit={() => setEditing(tag)} onRemove={() => remove.mutate(tag)} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {editing !== null && (
        <Dialog title={editing === 'new' ? t.newTag : editing.name} isOpen onClose={() => setEditing(null)}>
          <TagForm tag={editing === 'new' ? null : editing} onSaved={() => setEditing(null)} />
        </Dialog>
      )}
    </>
  )
}

function TagForm({ tag, onSaved }: { tag: Tag | null; onSaved: () => void }) {
  return (
    <RecordForm
      version={tag?.version}
      labels={{
        name: common.name,
        slug: common.slug,
        enabled: t.enabled,
        metaTitle: common.metaTitle,
        metaDescription: common.metaDescription,
      }}
      read={(form) => ({
        name: readLine(form, 'name'),
        ...(readText(form, 'slug') === null ? {} : { slug: readLine(form, 'slug') }),
        enabled: form.has('enabled'),
        metaTitle: readText(form, 'metaTitle'),
        metaDescription: readText(form, 'metaDescription'),
      })}
      save={(body, version) =>
        tag === null
          ? got(api.POST('/api/v1/tags', { body }))
          : got(api.PUT('/api/v1/tags/{id}', { params: { path: { id: tag.id }, header: ifMatch(version) }, body }))
      }
      onSaved={onSaved}
    >
      <TextField name="name" label={common.name} defaultValue={tag?.name ?? ''} autoFocus />
      <TextField
        name="slug"
        label={common.slug}
        defaultValue={tag?.slug ?? ''}
        hint={tag === null ? t.slugHint : common.slugHint}
      />
      <CheckField name="enabled" defaultSelected={tag?.enabled ?? true}>
        {t.enabled}
      </CheckField>
      <TextField
        name="metaTitle"
        label={common.metaTitle}
        defaultValue={tag?.metaTitle ?? ''}
        placeholder={tag?.seo.title ?? ''}
      />
      <TextField
        name="metaDescription"
        rows={3}
        label={common.metaDescription}
        defaultValue={tag?.metaDescription ?? ''}
        placeholder={tag?.seo.description ?? ''}
      />
    </RecordForm>
  )
}
