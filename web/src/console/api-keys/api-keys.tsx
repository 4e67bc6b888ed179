import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { readLine, readTime, SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.ts'
import { formatAgo, formatTime } from '../../ui/format.ts'
import { Hidden, PageHead, Table } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { SecretDialog } from '../../ui/secret.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

const KEY_ROLES = ['EDITOR', 'MANAGER', 'ADMIN'] as const

export function ApiKeys() {
  const keys = useQuery({ queryKey: ['api-keys'], queryFn: () => got(api.GET('/api/v1/admin/api-keys')) })
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const revoke = useMutation({
    mutationFn: (id: number) => done(api.DELETE('/api/v1/admin/api-keys/{id}', { params: { path: { id } } })),
  })
  return (
    <>
      <PageHead title={common.apiKeys}>
        <Button look="primary" onPress={() => setAdding(true)}>
          {t.newKey}
        </Button>
      </PageHead>
      <Loaded query={keys}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <Table label={common.apiKeys}>
              <thead>
                <tr>
                  <th>{common.name}</th>
                  <th>{t.role}</th>
                  <th>{t.expires}</th>
                  <th>{t.lastUsed}</th>
                  <th>{t.createdBy}</th>
                  <th>
                    <Hidden>{common.actions}</Hidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((key) => (
                  <tr key={key.id}>
                    <td data-main>{key.name}</td>
                    <td data-label={t.role}>{common.roles[key.role]}</td>
                    <td data-label={t.expires}>{formatTime(key.expiresAt)}</td>
                    <td data-label={t.lastUsed}>{key.lastUsedAt === null ? t.never : formatAgo(key.lastUsedAt)}</td>
                    <td data-label={t.createdBy}>{key.createdBy}</td>
                    <td data-number>
                      <ConfirmButton
                        look="quiet"
                        confirm={t.revoke}
                        question={t.revokeQuestion(key.name)}
                        onConfirm={() => revoke.mutate(key.id)}
                      >
                        {t.revoke}
                      </ConfirmButton>
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      <Dialog title={t.newKey} isOpen={isAdding} onClose={() => setAdding(false)}>
        <RecordForm
          submit={common.add}
          read={(form) => ({
            name: readLine(form, 'name'),
            role: oneOf(KEY_ROLES, readLine(form, 'role')) ?? 'EDITOR',
            expiresAt: readTime(form, 'expiresAt'),
          })}
          save={(body) => got(api.POST('/api/v1/admin/api-keys', { body }))}
          onSaved={({ key }) => {
            setAdding(false)
            setSecret(key)
          }}
        >
          <TextField name="name" label={common.name} autoFocus />
          <SelectField name="role" label={t.role} options={KEY_ROLES.map((role) => [role, common.roles[role]])} />
          <TextField name="expiresAt" type="datetime-local" label={t.expires} />
        </RecordForm>
      </Dialog>
      {secret !== null && (
        <SecretDialog title={t.secret} note={t.secretOnce} secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  )
}
