import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, at, done, got, type Schemas } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/fields.tsx'
import { checked, line } from '../../ui/form-data.ts'
import { formatTime } from '../../ui/format.ts'
import { ActiveBadge, Badge, PageHead } from '../../ui/list.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { SecretDialog } from '../../ui/secret.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
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
  const [shown, setShown] = useState<number | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const rotate = useMutation({
    mutationFn: (webhook: Webhook) =>
      got(api.POST('/api/v1/admin/webhooks/{id}/rotate-secret', { params: at(webhook) })),
    onSuccess: (saved) => setSecret(saved.secret),
  })
  const test = useMutation({
    mutationFn: (id: number) => got(api.POST('/api/v1/admin/webhooks/{id}/test', { params: { path: { id } } })),
    onSuccess: ({ delivered, responseStatus, error, response }) => {
      if (delivered) notify(t.tested(String(responseStatus)))
      else notifyFailure(error ?? `${responseStatus}: ${response}`)
    },
  })
  const editor = useEditor<Webhook>({
    add: t.newWebhook,
    nameOf: ({ url }) => url,
    remove: (params) => done(api.DELETE('/api/v1/admin/webhooks/{id}', { params })),
    form: (webhook, close) => (
      <WebhookForm
        webhook={webhook}
        onSaved={(saved) => {
          close()
          if ('secret' in saved) setSecret(saved.secret)
        }}
      />
    ),
  })
  return (
    <>
      <PageHead title={t.webhooks}>{editor.button}</PageHead>
      <List
        label={t.webhooks}
        query={webhooks}
        editor={editor}
        empty={t.none}
        columns={[
          { head: t.url, cell: ({ url }) => url, note: ({ description }) => description },
          { head: t.events, cell: ({ events }) => events.join(', ') },
          {
            head: t.status,
            cell: ({ active, failingSince }) =>
              active && failingSince ? (
                <Badge tone="bad">{t.failing(formatTime(failingSince))}</Badge>
              ) : (
                <ActiveBadge isActive={active} />
              ),
          },
          {
            head: t.deliveries,
            type: 'actions',
            cell: (webhook) => (
              <>
                <Button look="quiet" onPress={() => setShown(webhook.id)}>
                  {t.deliveries}
                </Button>
                <Button look="quiet" isPending={test.isPending} onPress={() => test.mutate(webhook.id)}>
                  {t.test}
                </Button>
                <ConfirmButton
                  look="quiet"
                  confirm={t.rotate}
                  question={t.rotateQuestion}
                  onConfirm={() => rotate.mutate(webhook)}
                />
              </>
            ),
          },
        ]}
      />
      {secret && <SecretDialog title={t.secret} secret={secret} onClose={() => setSecret(null)} />}
      {shown !== null && <WebhookDeliveries id={shown} onClose={() => setShown(null)} />}
    </>
  )
}

type Saved = Webhook | Schemas['WebhookWithSecret']

function WebhookForm({ webhook, onSaved }: { webhook: Webhook | null; onSaved: (saved: Saved) => void }) {
  return (
    <RecordForm<Schemas['WebhookInput'], Saved>
      record={webhook}
      read={{
        url: line,
        events: (form) => EVENTS.filter((event) => form.has(event)),
        description: line,
        active: checked,
      }}
      create={(body) => got(api.POST('/api/v1/admin/webhooks', { body }))}
      update={(body, params) => got(api.PUT('/api/v1/admin/webhooks/{id}', { params, body }))}
      onSaved={onSaved}
    >
      <TextField name="url" label={t.url} defaultValue={webhook?.url ?? 'https://'} autoFocus />
      <TextField name="description" label={t.description} defaultValue={webhook?.description} />
      <fieldset name="events" title={t.events} className={css.stack}>
        <legend>{t.events}</legend>
        {EVENTS.map((event) => (
          <CheckField
            key={event}
            name={event}
            label={event}
            defaultSelected={webhook?.events.includes(event) ?? false}
          />
        ))}
      </fieldset>
      <CheckField name="active" label={t.active} defaultSelected={webhook?.active ?? true} />
    </RecordForm>
  )
}
