import { api, got, ifMatch, type Schemas } from '../../api/client.ts'
import { readLine, readText, SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.ts'
import { RecordForm } from '../../ui/record-form.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

export const ROLES = ['USER', 'EDITOR', 'MANAGER', 'ADMIN', 'SUPER_ADMIN'] as const satisfies readonly Schemas['Role'][]

export function UserForm({ user, onSaved }: { user: Schemas['User'] | null; onSaved: () => void }) {
  return (
    <RecordForm
      version={user?.version}
      labels={{ name: common.personName, email: common.email, phone: t.phone, role: t.role, password: t.password }}
      read={(form) => {
        const password = String(form.get('password'))
        return {
          name: readLine(form, 'name'),
          email: readLine(form, 'email'),
          phone: readText(form, 'phone'),
          role: oneOf(ROLES, readLine(form, 'role')) ?? 'USER',
          ...(password === '' ? {} : { password }),
        }
      }}
      save={(input, version) =>
        user === null
          ? got(api.POST('/api/v1/admin/users', { body: { password: '', ...input } }))
          : got(
              api.PUT('/api/v1/admin/users/{id}', {
                params: { path: { id: user.id }, header: ifMatch(version) },
                body: input,
              }),
            )
      }
      onSaved={onSaved}
    >
      <TextField name="name" label={common.personName} defaultValue={user?.name ?? ''} autoFocus />
      <TextField name="email" type="email" label={common.email} defaultValue={user?.email ?? ''} autoComplete="off" />
      <TextField name="phone" type="tel" label={t.phone} defaultValue={user?.phone ?? ''} />
      <SelectField
        name="role"
        label={t.role}
        defaultValue={user?.role ?? 'MANAGER'}
        options={ROLES.map((role) => [role, common.roles[role]])}
      />
      <TextField
        name="password"
        type="password"
        label={user === null ? t.password : t.newPassword}
        autoComplete="new-password"
      />
    </RecordForm>
  )
}
