import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { readLine, SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf, useFilters } from '../../ui/filters.ts'
import { formatTime } from '../../ui/format.ts'
import { Badge, Hidden, PageHead, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { notify, notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

const STATUSES = ['PENDING', 'SENT', 'FAILED'] as const
const TONES = { PENDING: 'warn', SENT: 'good', FAILED: 'bad' } as const

export function Mails() {
  const [filters, setFilters] = useFilters()
  const [isTesting, setTesting] = useState(false)
  const status = oneOf(STATUSES, filters.status)
  const mails = useQuery({
    queryKey: ['mails', status],
    queryFn: () => got(api.GET('/api/v1/admin/mails', { params: { query: status ? { status } : {} } })),
  })
  const retry = useMutation({
    mutationFn: (id: number) => got(api.POST('/api/v1/admin/mails/{id}/retry', { params: { path: { id } } })),
  })
  const remove = useMutation({
    mutationFn: (id: number) => done(api.DELETE('/api/v1/admin/mails/{id}', { params: { path: { id } } })),
  })
  return (
    <>
      <PageHead title={common.mails}>
        <Button onPress={() => setTesting(true)}>{t.test}</Button>
      </PageHead>
      <Toolbar>
        <SelectField
          label={common.status}
          value={status ?? ''}
          options={[['', common.all], ...STATUSES.map((one): [string, string] => [one, t.statuses[one]])]}
          onChange={(value) => setFilters({ status: value })}
        />
      </Toolbar>
      <Loaded query={mails}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <Table label={common.mails}>
              <thead>
                <tr>
                  <th>{t.recipient}</th>
                  <th>{t.subject}</th>
                  <th>{common.status}</th>
                  <th data-number>{t.attempts}</th>
                  <th>{common.created}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((mail) => (
                  <tr key={mail.id}>
                    <td data-main>{mail.recipient}</td>
                    <td data-label={t.subject}>{mail.subject}</td>
                    <td data-label={common.status}>
                      <div>
                        <Badge tone={TONES[mail.status]}>{t.statuses[mail.status]}</Badge>
                        {mail.lastError && <div className={`${css.bad} ${css.small}`}>{mail.lastError}</div>}
                      </div>
                    </td>
                    <td data-label={t.attempts} data-number>
                      {mail.attempts}
                    </td>
                    <td data-label={common.created}>{formatTime(mail.createdAt)}</td>
                    <td data-number>
                      {mail.status !== 'SENT' && (
                        <Button look="quiet" onPress={() => retry.mutate(mail.id)}>
                          {common.retry}
                        </Button>
                      )}
                      <ConfirmButton
                        look="quiet"
                        confirm={common.remove}
                        question={common.removeQuestion(mail.subject)}
                        onConfirm={() => remove.mutate(mail.id)}
                      >
                        {common.remove}
                      </ConfirmButton>
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      <Dialog title={t.test} isOpen={isTesting} onClose={() => setTesting(false)}>
        <RecordForm
          submit={t.test}
          read={(form) => ({ to: readLine(form, 'to') })}
          save={(body) => got(api.POST('/api/v1/admin/notifications/email/test', { body }))}
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
