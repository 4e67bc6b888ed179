import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, at, done, got, type Schemas } from '../../api/client.ts'
import { ConfirmButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf, SearchFilter, SelectFilter, useFilters } from '../../ui/filters.tsx'
import { line, secret, text } from '../../ui/form-data.ts'
import { formatDay } from '../../ui/format.ts'
import { ActiveBadge, PageHead, Toolbar } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { useMay } from '../user.ts'
import { LoginBlocks } from './blocks.tsx'
import { t } from './text.ts'

type User = Schemas['User']

export function Users() {
  const [filters] = useFilters()
  const { page, sort, search } = filters
  const query = { page: Number(page ?? 0), size: 50, sort, search, role: oneOf(t.roles, filters.role) }
  const users = useQuery({
    queryKey: ['users', filters],
    queryFn: () => got(api.GET('/api/v1/admin/users', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const may = useMay()
  const resetTotp = useMutation({
    mutationFn: (user: User) => done(api.DELETE('/api/v1/admin/users/{id}/totp', { params: at(user) })),
  })
  const editor = useEditor<User>({
    add: t.newUser,
    nameOf: ({ name }) => name,
    remove: (params) => done(api.DELETE('/api/v1/admin/users/{id}', { params })),
    form: (user, close) => <UserForm user={user} onSaved={close} />,
  })
  return (
    <>
      <PageHead title={t.users}>{editor.button}</PageHead>
      <Toolbar>
        <SearchFilter label={t.searchHint} />
        <SelectFilter name="role" label={t.role} options={Object.entries(t.roles)} />
      </Toolbar>
      <List
        label={t.users}
        query={users}
        editor={editor}
        empty={t.none}
        columns={[
          { head: t.personName, sort: 'name', cell: ({ name }) => name },
          { head: t.email, sort: 'email', cell: ({ email }) => email },
          { head: t.role, cell: ({ role }) => t.roles[role] },
          {
            head: t.totp,
            cell: (user) =>
              user.totp && may('users.totp') ? (
                <ConfirmButton
                  look="quiet"
                  confirm={t.resetTotp}
                  question={t.resetQuestion(user.name)}
                  onConfirm={() => resetTotp.mutate(user)}
                />
              ) : (
                <ActiveBadge isActive={user.totp} />
              ),
          },
          { head: t.created, cell: ({ createdAt }) => formatDay(createdAt) },
          {
            head: t.orders,
            type: 'actions',
            cell: ({ id }) => (
              <Link to="/orders" search={{ userId: String(id) }}>
                {t.orders}
              </Link>
            ),
          },
        ]}
      />
      <LoginBlocks />
    </>
  )
}

function UserForm({ user, onSaved }: { user: User | null; onSaved: () => void }) {
  return (
    <RecordForm
      record={user}
      read={{
        name: line,
        email: line,
        phone: text,
        role: (form) => oneOf(t.roles, line(form, 'role')) ?? 'USER',
        password: (form) => secret(form, 'password') || undefined,
      }}
      create={(input) => got(api.POST('/api/v1/admin/users', { body: { ...input, password: input.password ?? '' } }))}
      update={(body, params) => got(api.PUT('/api/v1/admin/users/{id}', { params, body }))}
      onSaved={onSaved}
    >
      <TextField name="name" label={t.personName} defaultValue={user?.name} autoFocus />
      <TextField name="email" type="email" label={t.email} defaultValue={user?.email} autoComplete="off" />
      <TextField name="phone" type="tel" label={t.phone} defaultValue={user?.phone} />
      <SelectField
        name="role"
        label={t.role}
        defaultValue={user?.role ?? 'MANAGER'}
        options={Object.entries(t.roles)}
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
