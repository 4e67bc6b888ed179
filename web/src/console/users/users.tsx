import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, done, got, type Schemas } from '../../api/client.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { SearchFilter, SelectFilter } from '../../ui/filter-fields.tsx'
import { oneOf, useFilters } from '../../ui/filters.ts'
import { line, secret, text } from '../../ui/form-data.ts'
import { formatDay } from '../../ui/format.ts'
import { PageHead, Toolbar } from '../../ui/list.tsx'
import { RecordForm } from '../../ui/record-form.tsx'
import { List } from '../../ui/table.tsx'
import { useEditor } from '../editor.tsx'
import { t as common } from '../text.ts'
import { LoginBlocks } from './blocks.tsx'
import { t } from './text.ts'

type User = Schemas['User']

export function Users() {
  const [filters] = useFilters()
  const { page, sort, search } = filters
  const query = { page: Number(page ?? 0), size: 50, sort, search, role: oneOf(common.roles, filters.role) }
  const users = useQuery({
    queryKey: ['users', filters],
    queryFn: () => got(api.GET('/api/v1/admin/users', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const editor = useEditor<User>({
    add: t.newUser,
    nameOf: ({ name }) => name,
    remove: (params) => done(api.DELETE('/api/v1/admin/users/{id}', { params })),
    form: (user, close) => <UserForm user={user} onSaved={close} />,
  })
  return (
    <>
      <PageHead title={common.users}>{editor.button}</PageHead>
      <Toolbar>
        <SearchFilter label={t.searchHint} />
        <SelectFilter name="role" label={common.role} options={Object.entries(common.roles)} />
      </Toolbar>
      <List
        label={common.users}
        query={users}
        empty={t.none}
        columns={[
          { head: common.personName, sort: 'name', cell: ({ name }) => name },
          { head: common.email, sort: 'email', cell: ({ email }) => email },
          { head: common.role, cell: ({ role }) => common.roles[role] },
          { head: common.created, cell: ({ createdAt }) => formatDay(createdAt) },
          {
            head: common.orders,
            type: 'actions',
            cell: ({ id }) => (
              <Link to="/orders" search={{ userId: String(id) }}>
                {common.orders}
              </Link>
            ),
          },
          editor.column,
        ]}
      />
      <LoginBlocks />
      {editor.dialog}
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
        role: (form) => oneOf(common.roles, line(form, 'role')) ?? 'USER',
        password: (form) => secret(form, 'password') || undefined,
      }}
      create={(input) => got(api.POST('/api/v1/admin/users', { body: { ...input, password: input.password ?? '' } }))}
      update={(body, params) => got(api.PUT('/api/v1/admin/users/{id}', { params, body }))}
      onSaved={onSaved}
    >
      <TextField name="name" label={common.personName} defaultValue={user?.name} autoFocus />
      <TextField name="email" type="email" label={common.email} defaultValue={user?.email} autoComplete="off" />
      <TextField name="phone" type="tel" label={common.phone} defaultValue={user?.phone} />
      <SelectField
        name="role"
        label={common.role}
        defaultValue={user?.role ?? 'MANAGER'}
        options={Object.entries(common.roles)}
      />
      <TextField
        name="password"
        type="password"
        label={user === null ? common.password : t.newPassword}
        autoComplete="new-password"
      />
    </RecordForm>
  )
}
