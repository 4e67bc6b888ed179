import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, done, got } from '../../api/client.ts'
import { Button, ConfirmButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { line, time } from '../../ui/form-data.ts'
import { formatTime } from '../../ui/format.ts'
import { Ago, PageHead } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { SecretDialog } from '../../ui/secret.tsx'
import { List } from '../../ui/table.tsx'
import { t } from './text.ts'

const KEY_ROLES = ['USER', 'EDITOR', 'MANAGER', 'ADMIN'] as const

export function ApiKeys() {
  const keys = useQuery({ queryKey: ['api-keys'], queryFn: () => got(api.GET('/api/v1/admin/api-keys')) })
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const revoke = useMutation({
    mutationFn: (id: number) => done(api.DELETE('/api/v1/admin/api-keys/{id}', { params: { path: { id } } })),
  })
  return (
    <>
      <PageHead title={t.apiKeys}>
        <Button look="primary" onPress={() => setAdding(true)}>
          {t.newKey}
        </Button>
      </PageHead>
      <List
        label={t.apiKeys}
        query={keys}
        empty={t.none}
        columns={[
          { head: t.name, cell: ({ name }) => name },
          { head: t.role, cell: ({ role }) => t.roles[role] },
          { head: t.expires, cell: ({ expiresAt }) => formatTime(expiresAt) },
          { head: t.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.never : <Ago time={lastUsedAt} />) },
          { head: t.createdBy, cell: ({ createdBy }) => createdBy },
          {
            head: t.actions,
            type: 'actions',
            cell: ({ id, name }) => (
              <ConfirmButton
                look="quiet"
                confirm={t.revoke}
                question={t.revokeQuestion(name)}
                onConfirm={() => revoke.mutate(id)}
              />
            ),
          },
        ]}
      />
      <Dialog title={t.newKey} isOpen={isAdding} onClose={() => setAdding(false)}>
        <RecordForm
          submit={t.add}
          read={{
            name: line,
            role: (form) => KEY_ROLES.find((role) => role === form.get('role')) ?? 'EDITOR',
            expiresAt: time,
          }}
          create={(body) => got(api.POST('/api/v1/admin/api-keys', { body }))}
          onSaved={({ key }) => {
            setAdding(false)
            setSecret(key)
          }}
        >
          <TextField name="name" label={t.name} autoFocus />
          <SelectField name="role" label={t.role} options={KEY_ROLES.map((role) => [role, t.roles[role]])} />
          <TextField name="expiresAt" type="datetime-local" label={t.expires} />
        </RecordForm>
      </Dialog>
      {secret && <SecretDialog title={t.secret} secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}
