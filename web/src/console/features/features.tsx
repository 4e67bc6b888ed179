import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, readLine, readNumber, readText, TextField } from '../../ui/fields.tsx'
import { Badge, Hidden, PageHead, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { ImageField } from '../images/field.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

type Feature = Schemas['StaffFeatureItem']

export function Features() {
  const features = useQuery({ queryKey: ['features'], queryFn: () => got(api.GET('/api/v1/feature-items')) })
  const [editing, setEditing] = useState<Feature | 'new' | null>(null)
  const remove = useMutation({
    mutationFn: ({ id, version }: Feature) =>
      done(api.DELETE('/api/v1/feature-items/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  return (
    <>
      <PageHead title={common.features}>
        <Button look="primary" onPress={() => setEditing('new')}>
          {t.newFeature}
        </Button>
      </PageHead>
      <Loaded query={features}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <Table label={common.features}>
              <thead>
                <tr>
                  <th>
                    <Hidden>{common.image}</Hidden>
                  </th>
                  <th>{t.title}</th>
                  <th data-number>{common.order}</th>
                  <th>{common.status}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((feature) => (
                  <tr key={feature.id}>
                    <td>
                      {feature.imageUrl && <img className={css.thumb} src={`${feature.imageUrl}&width=160`} alt="" />}
                    </td>
                    <td data-main>
                      {feature.title}
                      {feature.description && <div className={`${css.muted} ${css.small}`}>{feature.description}</div>}
                    </td>
                    <td data-label={common.order} data-number>
                      {feature.displayOrder}
                    </td>
                    <td data-label={common.status}>
                      <Badge tone={feature.active ? 'good' : 'muted'}>
                        {feature.active ? common.active : common.inactive}
                      </Badge>
                    </td>
                    <td data-number>
                      <RowActions
                        name={feature.title}
                        onEdit={() => setEditing(feature)}
                        onRemove={() => remove.mutate(feature)}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {editing !== null && (
        <Dialog title={editing === 'new' ? t.newFeature : editing.title} isOpen onClose={() => setEditing(null)}>
          <FeatureForm feature={editing === 'new' ? null : editing} onSaved={() => setEditing(null)} />
        </Dialog>
      )}
    </>
  )
}

function FeatureForm({ feature, onSaved }: { feature: Feature | null; onSaved: () => void }) {
  return (
    <RecordForm
      version={feature?.version}
      labels={{
        title: t.title,
        description: common.description,
        icon: t.icon,
        imageId: common.image,
        linkUrl: t.linkUrl,
        displayOrder: common.order,
        active: common.active,
      }}
      read={(form) => ({
        title: readLine(form, 'title'),
        description: readText(form, 'description'),
        icon: readText(form, 'icon'),
        imageId: readNumber(form, 'imageId'),
        linkUrl: readText(form, 'linkUrl'),
        displayOrder: readNumber(form, 'displayOrder') ?? 0,
        active: form.has('active'),
      })}
      save={(body, version) =>
        feature === null
          ? got(api.POST('/api/v1/feature-items', { body }))
          : got(
              api.PUT('/api/v1/feature-items/{id}', {
                params: { path: { id: feature.id }, header: ifMatch(version) },
                body,
              }),
            )
      }
      onSaved={onSaved}
    >
      <TextField name="title" label={t.title} defaultValue={feature?.title ?? ''} autoFocus />
      <TextField name="description" rows={3} label={common.description} defaultValue={feature?.description ?? ''} />
      <ImageField name="imageId" defaultId={feature?.imageId ?? null} />
      <div className={css.grid}>
        <TextField name="icon" label={t.icon} defaultValue={feature?.icon ?? ''} />
        <TextField name="linkUrl" label={t.linkUrl} defaultValue={feature?.linkUrl ?? ''} />
        <TextField name="displayOrder" label={common.order} defaultValue={String(feature?.displayOrder ?? 0)} />
      </div>
      <CheckField name="active" defaultSelected={feature?.active ?? true}>
        {common.active}
      </CheckField>
    </RecordForm>
  )
}
