import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, readLine, readNumber, readText, readTime, TextField, toLocalTime } from '../../ui/fields.tsx'
import { formatTime } from '../../ui/format.ts'
import { Badge, Hidden, PageHead, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { ImageField } from '../images/field.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

type Banner = Schemas['StaffBannerBlock']

export function Banners() {
  const banners = useQuery({ queryKey: ['banners'], queryFn: () => got(api.GET('/api/v1/banner-blocks')) })
  const [editing, setEditing] = useState<Banner | 'new' | null>(null)
  const remove = useMutation({
    mutationFn: ({ id, version }: Banner) =>
      done(api.DELETE('/api/v1/banner-blocks/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  return (
    <>
      <PageHead title={common.banners}>
        <Button look="primary" onPress={() => setEditing('new')}>
          {t.newBanner}
        </Button>
      </PageHead>
      <Loaded query={banners}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <Table label={common.banners}>
              <thead>
                <tr>
                  <th>
                    <Hidden>{common.image}</Hidden>
                  </th>
                  <th>{t.title}</th>
                  <th>{t.position}</th>
                  <th data-number>{common.order}</th>
                  <th>{t.shown}</th>
                  <th>{common.status}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((banner) => (
                  <tr key={banner.id}>
                    <td>
                      {banner.imageUrl && <img className={css.thumb} src={`${banner.imageUrl}&width=160`} alt="" />}
                    </td>
                    <td data-main>
                      {banner.title}
                      {banner.subtitle && <div className={`${css.muted} ${css.small}`}>{banner.subtitle}</div>}
                    </td>
                    <td data-label={t.position}>{banner.position}</td>
                    <td data-label={common.order} data-number>
                      {banner.displayOrder}
                    </td>
                    <td data-label={t.shown}>
                      {formatTime(banner.activeFrom)} – {formatTime(banner.activeTo)}
                    </td>
                    <td data-label={common.status}>
                      <Badge tone={banner.active ? 'good' : 'muted'}>
                        {banner.active ? common.active : common.inactive}
                      </Badge>
                    </td>
                    <td data-number>
                      <RowActions
                        name={banner.title}
                        onEdit={() => setEditing(banner)}
                        onRemove={() => remove.mutate(banner)}
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
        <Dialog title={editing === 'new' ? t.newBanner : editing.title} isOpen onClose={() => setEditing(null)} isWide>
          <BannerForm banner={editing === 'new' ? null : editing} onSaved={() => setEditing(null)} />
        </Dialog>
      )}
    </>
  )
}

function BannerForm({ banner, onSaved }: { banner: Banner | null; onSaved: () => void }) {
  return (
    <RecordForm
      version={banner?.version}
      labels={{
        title: t.title,
        subtitle: t.subtitle,
        text: t.text,
        imageId: common.image,
        linkUrl: t.linkUrl,
        buttonText: t.buttonText,
        position: t.position,
        displayOrder: common.order,
        activeFrom: t.activeFrom,
        activeTo: t.activeTo,
        active: common.active,
      }}
      read={(form) => ({
        title: readLine(form, 'title'),
        subtitle: readText(form, 'subtitle'),
        text: readText(form, 'text'),
        imageId: readNumber(form, 'imageId'),
        linkUrl: readText(form, 'linkUrl'),
        buttonText: readText(form, 'buttonText'),
        position: readText(form, 'position'),
        displayOrder: readNumber(form, 'displayOrder') ?? 0,
        activeFrom: readTime(form, 'activeFrom'),
        activeTo: readTime(form, 'activeTo'),
        active: form.has('active'),
      })}
      save={(body, version) =>
        banner === null
          ? got(api.POST('/api/v1/banner-blocks', { body }))
          : got(
              api.PUT('/api/v1/banner-blocks/{id}', {
                params: { path: { id: banner.id }, header: ifMatch(version) },
                body,
              }),
            )
      }
      onSaved={onSaved}
    >
      <TextField name="title" label={t.title} defaultValue={banner?.title ?? ''} autoFocus />
      <TextField name="subtitle" label={t.subtitle} defaultValue={banner?.subtitle ?? ''} />
      <TextField name="text" rows={3} label={t.text} defaultValue={banner?.text ?? ''} />
      <ImageField name="imageId" defaultId={banner?.imageId ?? null} />
      <div className={css.grid}>
        <TextField name="linkUrl" label={t.linkUrl} defaultValue={banner?.linkUrl ?? ''} />
        <TextField name="buttonText" label={t.buttonText} defaultValue={banner?.buttonText ?? ''} />
        <TextField name="position" label={t.position} defaultValue={banner?.position ?? ''} />
        <TextField name="displayOrder" label={common.order} defaultValue={String(banner?.displayOrder ?? 0)} />
        <TextField
          name="activeFrom"
          type="datetime-local"
          label={t.activeFrom}
          defaultValue={toLocalTime(banner?.activeFrom)}
        />
        <TextField
          name="activeTo"
          type="datetime-local"
          label={t.activeTo}
          defaultValue={toLocalTime(banner?.activeTo)}
        />
      </div>
      <CheckField name="active" defaultSelected={banner?.active ?? true}>
        {common.active}
      </CheckField>
    </RecordForm>
  )
}
