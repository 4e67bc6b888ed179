import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, readLine, TextField } from '../../ui/fields.tsx'
import { formatTime } from '../../ui/format.ts'
import { Badge, Hidden, PageHead, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { SecretDialog } from '../../ui/secret.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { WebhookDeliveries } from './deliveries.tsx'
import { t } from './text.ts'

type Webhook = Schemas['Webhook']

const EVENTS = [
  'order.created',
  'order.status_changed',
  'product.changed',
  'sync.finished',
  'feed.published',
  'contact.created',
] as const satisfies readonly Schemas['WebhookEvent'][]

export function Webhooks() {
  const webhooks = useQuery({ queryKey: ['webhooks'], queryFn: () => got(api.GET('/api/v1/admin/webhooks')) })
  const [editing, setEditing] = useState<Webhook | 'new' | null>(null)
  const [shown, setShown] = useState<Webhook | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const remove = useMutation({
    mutationFn: ({ id, version }: Webhook) =>
      done(api.DELETE('/api/v1/admin/webhooks/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  const rotate = useMutation({
    mutationFn: ({ id, version }: Webhook) =>
      got(
        api.POST('/api/v1/admin/webhooks/{id}/rotate-secret', { params: { path: { id }, header: ifMatch(version) } }),
      ),
    onSuccess: (saved) => setSecret(saved.secret),
  })
  const test = useMutation({
    mutationFn: ({ id }: Webhook) => got(api.POST('/api/v1/admin/webhooks/{id}/test', { params: { path: { id } } })),
    onSuccess: ({ delivered, responseStatus, error, response }) => {
      if (delivered) notify(t.tested(String(responseStatus)))
      else notifyFailure(error ?? `${responseStatus}: ${response}`)
    },
  })
  return (
    <>
      <PageHead title={common.webhooks}>
        <Button look="primary" onPress={() => setEditing('new')}>
          {t.newWebhook}
        </Button>
      </PageHead>
      <Loaded query={webhooks}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <Table label={common.webhooks}>
              <thead>
                <tr>
                  <th>{t.url}</th>
                  <th>{t.events}</th>
                  <th>{common.status}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((webhook) => (
                  <tr key={webhook.id}>
                    <td data-main>
                      {webhook.url}
                      <div className={`${css.muted} ${css.small}`}>{webhook.description}</div>
                    </td>
                    <td data-label={t.events}>{webhook.events.join(', ')}</td>
                    <td data-label={common.status}>
                      <Badge tone={!webhook.active ? 'muted' : webhook.failingSince ? 'bad' : 'good'}>
                        {!webhook.active
                          ? common.inactive
                          : webhook.failingSince
                            ? t.failing(formatTime(webhook.failingSince))
                            : common.active}
                      </Badge>
                    </td>
                    <td>
                      <div className={css.row}>
                        <Button look="quiet" onPress={() => setShown(webhook)}>
                          {t.deliveries}
                        </Button>
                        <Button look="quiet" isPending={test.isPending} onPress={() => test.mutate(webhook)}>
                          {t.test}
                        </Button>
                        <ConfirmButton
                          look="quiet"
                          confirm={t.rotate}
                          question={t.rotateQuestion}
                          onConfirm={() => rotate.mutate(webhook)}
                        >
                          {t.rotate}
                        </ConfirmButton>
                        <RowActions
                          name={webhook.url}
                          onEdit={() => setEditing(webhook)}
                          onRemove={() => remove.mutate(webhook)}
                        />
                      </div>
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      {editing !== null && (
        <Dialog title={editing === 'new' ? t.newWebhook : editing.url} isOpen onClose={() => setEditing(null)}>
          <WebhookForm
            webhook={editing === 'new' ? null : editing}
            onSaved={(saved) => {
              setEditing(null)
              if ('secret' in saved) setSecret(saved.secret)
            }}
          />
        </Dialog>
      )}
      {secret !== null && (
        <SecretDialog title={t.secret} note={t.secretOnce} secret={secret} onClose={() => setSecret(null)} />
      )}
      {shown !== null && <WebhookDeliveries id={shown.id} onClose={() => setShown(null)} />}
    </>
  )
}

type Saved = Webhook | Schemas['WebhookWithSecret']

function WebhookForm({ webhook, onSaved }: { webhook: Webhook | null; onSaved: (saved: Saved) => void }) {
  return (
    <RecordForm<Schemas['WebhookInput'], Saved>
      version={webhook?.version}
      labels={{ url: t.url, events: t.events, description: common.description, active: common.active }}
      read={(form) => ({
        url: readLine(form, 'url'),
        events: EVENTS.filter((event) => form.has(event)),
        description: readLine(form, 'description'),
        active: form.has('active'),
      })}
      save={(body, version) =>
        webhook === null
          ? got(api.POST('/api/v1/admin/webhooks', { body }))
          : got(
              api.PUT('/api/v1/admin/webhooks/{id}', {
                params: { path: { id: webhook.id }, header: ifMatch(version) },
                body,
              }),
            )
      }
      onSaved={onSaved}
    >
      <TextField name="url" label={t.url} defaultValue={webhook?.url ?? 'https://'} autoFocus />
      <TextField name="description" label={common.description} defaultValue={webhook?.description ?? ''} />
      <fieldset className={css.stack}>
        <legend>{t.events}</legend>
        {EVENTS.map((event) => (
          <CheckField key={event} name={event} defaultSelected={webhook?.events.includes(event) ?? false}>
            {event}
          </CheckField>
        ))}
      </fieldset>
      <CheckField name="active" defaultSelected={webhook?.active ?? true}>
        {common.active}
      </CheckField>
    </RecordForm>
  )
}
