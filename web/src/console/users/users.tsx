import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, done, got, ifMatch, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { oneOf, useFilters } from '../../ui/filters.ts'
import { formatDay } from '../../ui/format.ts'
import { Hidden, PageHead, Pager, SearchField, SortHead, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { RowActions } from '../row-actions.tsx'
import { t as common } from '../text.ts'
import { LoginBlocks } from './blocks.tsx'
import { ROLES, UserForm } from './form.tsx'
import { t } from './text.ts'

type User = Schemas['User']

export function Users() {
  const [filters, setFilters] = useFilters()
  const [editing, setEditing] = useState<User | 'new' | null>(null)
  const role = oneOf(ROLES, filters.role)
  const users = useQuery({
    queryKey: ['users', filters],
    queryFn: () =>
      got(
        api.GET('/api/v1/admin/users', {
          params: {
            query: {
              page: Number(filters.page ?? 0),
              size: 50,
              sort: filters.sort,
              search: filters.search,
              ...(role ? { role } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const remove = useMutation({
    mutationFn: ({ id, version }: User) =>
      done(api.DELETE('/api/v1/admin/users/{id}', { params: { path: { id }, header: ifMatch(version) } })),
  })
  return (
    <>
      <PageHead title={common.users}>
        <Button look="primary" onPress={() => setEditing('new')}>
          {t.newUser}
        </Button>
      </PageHead>
      <Toolbar>
        <SearchField label={t.searchHint} value={filters.search} onChange={(value) => setFilters({ search: value })} />
        <SelectField
          label={t.role}
          value={role ?? ''}
          options={[['', common.all], ...ROLES.map((one): [string, string] => [one, common.roles[one]])]}
          onChange={(value) => setFilters({ role: value })}
        />
      </Toolbar>
      <Loaded query={users}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <>
              <Table label={common.users}>
                <thead>
                  <tr>
                    <SortHead field="name" filters={filters} setFilters={setFilters}>
                      {common.personName}
                    </SortHead>
                    <SortHead field="email" filters={filters} setFilters={setFilters}>
                      {common.email}
                    </SortHead>
                    <th>{t.role}</th>
                    <th>{common.created}</th>
                    <th>
                      <Hidden>{common.actions}</Hidden>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {found.content.map((user) => (
                    <tr key={user.id}>
                      <td data-main>{user.name}</td>
                      <td data-label={common.email}>{user.email}</td>
                      <td data-label={t.role}>{common.roles[user.role]}</td>
                      <td data-label={common.created}>{formatDay(user.createdAt)}</td>
                      <td data-number>
                        <Link to="/orders" search={{ userId: String(user.id) }}>
                          {t.orders}
                        </Link>{' '}
                        <RowActions
                          name={user.name}
                          onEdit={() => setEditing(user)}
                          onRemove={() => remove.mutate(user)}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </Table>
              <Pager page={found} setFilters={setFilters} />
            </>
          )
        }
      </Loaded>
      <LoginBlocks />
      {editing !== null && (
        <Dialog title={editing === 'new' ? t.newUser : editing.name} isOpen onClose={() => setEditing(null)}>
          <UserForm user={editing === 'new' ? null : editing} onSaved={() => setEditing(null)} />
        </Dialog>
      )}
    </>
  )
}
