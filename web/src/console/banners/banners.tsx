import { useQuery } from '@tanstack/react-query'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { CheckField, TextField } from '../../ui/fields.tsx'
import { checked, line, number, numberOrZero, text, time } from '../../ui/form-data.ts'
import { formatTime } from '../../ui/format.ts'
import { ActiveBadge, PageHead, Thumb } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { ImageField } from '../images/field.tsx'
import { t } from './text.ts'

type Banner = Schemas['StaffBannerBlock']

export function Banners() {
  const banners = useQuery({ queryKey: ['banners'], queryFn: () => got(api.GET('/api/v1/banner-blocks')) })
  const editor = useEditor<Banner>({
    add: t.newBanner,
    nameOf: ({ title }) => title,
    remove: (params) => done(api.DELETE('/api/v1/banner-blocks/{id}', { params })),
    form: (banner, close) => <BannerForm banner={banner} onSaved={close} />,
    isWide: true,
  })
  return (
    <>
      <PageHead title={t.banners}>{editor.button}</PageHead>
      <List
        label={t.banners}
        query={banners}
        editor={editor}
        empty={t.none}
        columns={[
          { head: t.image, type: 'image', cell: ({ imageUrl }) => <Thumb url={imageUrl} /> },
          { head: t.title, cell: ({ title }) => title, note: ({ subtitle }) => subtitle },
          { head: t.position, cell: ({ position }) => position },
          { head: t.order, type: 'number', cell: ({ displayOrder }) => displayOrder },
          { head: t.shown, cell: ({ activeFrom, activeTo }) => `${formatTime(activeFrom)} – ${formatTime(activeTo)}` },
          { head: t.status, cell: ({ active }) => <ActiveBadge isActive={active} /> },
        ]}
      />
    </>
  )
}

function BannerForm({ banner, onSaved }: { banner: Banner | null; onSaved: () => void }) {
  return (
    <RecordForm
      record={banner}
      read={{
        title: line,
        subtitle: text,
        text,
        imageId: number,
        linkUrl: text,
        buttonText: text,
        position: text,
        displayOrder: numberOrZero,
        activeFrom: time,
        activeTo: time,
        active: checked,
      }}
      create={(body) => got(api.POST('/api/v1/banner-blocks', { body }))}
      update={(body, params) => got(api.PUT('/api/v1/banner-blocks/{id}', { params, body }))}
      onSaved={onSaved}
    >
      <TextField name="title" label={t.title} defaultValue={banner?.title} autoFocus />
      <TextField name="subtitle" label={t.subtitle} defaultValue={banner?.subtitle} />
      <TextField name="text" rows={3} label={t.text} defaultValue={banner?.text} />
      <ImageField name="imageId" defaultId={banner?.imageId ?? null} />
      <div className={css.grid}>
        <TextField name="linkUrl" label={t.link} defaultValue={banner?.linkUrl} />
        <TextField name="buttonText" label={t.buttonText} defaultValue={banner?.buttonText} />
        <TextField name="position" label={t.position} defaultValue={banner?.position} />
        <TextField name="displayOrder" label={t.order} defaultValue={banner?.displayOrder ?? 0} />
        <TextField name="activeFrom" type="datetime-local" label={t.from} defaultValue={banner?.activeFrom} />
        <TextField name="activeTo" type="datetime-local" label={t.activeTo} defaultValue={banner?.activeTo} />
      </div>
      <CheckField name="active" label={t.active} defaultSelected={banner?.active ?? true} />
    </RecordForm>
  )
}
