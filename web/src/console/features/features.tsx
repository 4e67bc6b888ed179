import { useQuery } from '@tanstack/react-query'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { CheckField, TextField } from '../../ui/fields.tsx'
import { checked, line, number, numberOrZero, text } from '../../ui/form-data.ts'
import { ActiveBadge, PageHead, Thumb } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { ImageField } from '../images/field.tsx'
import { t } from './text.ts'

type Feature = Schemas['StaffFeatureItem']

export function Features() {
  const features = useQuery({ queryKey: ['features'], queryFn: () => got(api.GET('/api/v1/feature-items')) })
  const editor = useEditor<Feature>({
    add: t.newFeature,
    nameOf: ({ title }) => title,
    remove: (params) => done(api.DELETE('/api/v1/feature-items/{id}', { params })),
    form: (feature, close) => <FeatureForm feature={feature} onSaved={close} />,
  })
  return (
    <>
      <PageHead title={t.features}>{editor.button}</PageHead>
      <List
        label={t.features}
        query={features}
        editor={editor}
        empty={t.none}
        columns={[
          { head: t.image, type: 'image', cell: ({ imageUrl }) => <Thumb url={imageUrl} /> },
          { head: t.title, cell: ({ title }) => title, note: ({ description }) => description },
          { head: t.order, type: 'number', cell: ({ displayOrder }) => displayOrder },
          { head: t.status, cell: ({ active }) => <ActiveBadge isActive={active} /> },
        ]}
      />
    </>
  )
}

function FeatureForm({ feature, onSaved }: { feature: Feature | null; onSaved: () => void }) {
  return (
    <RecordForm
      record={feature}
      read={{
        title: line,
        description: text,
        icon: text,
        imageId: number,
        linkUrl: text,
        displayOrder: numberOrZero,
        active: checked,
      }}
      create={(body) => got(api.POST('/api/v1/feature-items', { body }))}
      update={(body, params) => got(api.PUT('/api/v1/feature-items/{id}', { params, body }))}
      onSaved={onSaved}
    >
      <TextField name="title" label={t.title} defaultValue={feature?.title} autoFocus />
      <TextField name="description" rows={3} label={t.description} defaultValue={feature?.description} />
      <ImageField name="imageId" defaultId={feature?.imageId ?? null} />
      <div className={css.grid}>
        <TextField name="icon" label={t.icon} defaultValue={feature?.icon} />
        <TextField name="linkUrl" label={t.link} defaultValue={feature?.linkUrl} />
        <TextField name="displayOrder" label={t.order} defaultValue={feature?.displayOrder ?? 0} />
      </div>
      <CheckField name="active" label={t.active} defaultSelected={feature?.active ?? true} />
    </RecordForm>
  )
}
