import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { oneOf, SelectFilter, useFilters } from '../../ui/filters.tsx'
import { line } from '../../ui/form-data.ts'
import { formatTime } from '../../ui/format.ts'
import { Badge, PageHead, Small, Toolbar } from '../../ui/list.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { RemoveButton } from '../editor.tsx'
import { t } from './text.ts'

const TONES = { PENDING: 'warn', SENT: 'good', FAILED: 'bad' } as const

export function Mails() {
  const [filters] = useFilters()
  const [isTesting, setTesting] = useState(false)
  const query = { status: oneOf(t.statuses, filters.status) }
  const mails = useQuery({
    queryKey: ['mails', query],
    queryFn: () => got(api.GET('/api/v1/admin/mails', { params: { query } })),
  })
  const retry = useMutation({
    mutationFn: (id: number) => got(api.POST('/api/v1/admin/mails/{id}/retry', { params: { path: { id } } })),
  })
  const remove = useMutation({
    mutationFn: (id: number) => done(api.DELETE('/api/v1/admin/mails/{id}', { params: { path: { id } } })),
  })
  return (
    <>
      <PageHead title={t.mails}>
        <Button onPress={() => setTesting(true)}>{t.test}</Button>
      </PageHead>
      <Toolbar>
        <SelectFilter name="status" label={t.status} options={Object.entries(t.statuses)} />
      </Toolbar>
      <List
        label={t.mails}
        query={mails}
        empty={t.none}
        columns={[
          { head: t.recipient, cell: ({ recipient }) => recipient },
          { head: t.subject, cell: ({ subject }) => subject },
          {
            head: t.status,
            cell: ({ status, lastError }) => (
              <>
                <Badge tone={TONES[status]}>{t.statuses[status]}</Badge> <Small isBad>{lastError}</Small>
              </>
            ),
          },
          { head: t.attempts, type: 'number', cell: ({ attempts }) => attempts },
          { head: t.created, cell: ({ createdAt }) => formatTime(createdAt) },
          {
            head: t.actions,
            type: 'actions',
            cell: ({ id, status, subject }) => (
              <>
                {status !== 'SENT' && (
                  <Button look="quiet" onPress={() => retry.mutate(id)}>
                    {t.retry}
                  </Button>
                )}
                <RemoveButton look="quiet" name={subject} onRemove={() => remove.mutate(id)} />
              </>
            ),
          },
        ]}
      />
      <Dialog title={t.test} isOpen={isTesting} onClose={() => setTesting(false)}>
        <RecordForm
          submit={t.test}
          read={{ to: line }}
          create={(body) => got(api.POST('/api/v1/admin/notifications/email/test', { body }))}
          onSaved={({ delivered, message }) => {
            if (delivered) notify(t.delivered)
            else notifyFailure(message)
            setTesting(false)
          }}
        >
          <TextField name="to" label={t.recipient} autoFocus />
        </RecordForm>
      </Dialog>
    </>
  )
}
