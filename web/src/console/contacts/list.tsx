import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, download, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { oneOf, stringifySearch, useFilters } from '../../ui/filters.ts'
import { formatAgo, formatTime } from '../../ui/format.ts'
import { Badge, PageHead, Pager, SearchField, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import { notifyFailure } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { t } from './text.ts'

export const CONTACT_STATUSES = ['NEW', 'READ', 'IN_PROGRESS', 'CLOSED'] as const
const TONES = { NEW: 'accent', READ: 'muted', IN_PROGRESS: 'warn', CLOSED: 'good' } as const

export function ContactList() {
  const [filters, setFilters] = useFilters()
  const { page, search } = filters
  const status = oneOf(CONTACT_STATUSES, filters.status)
  const contacts = useQuery({
    queryKey: ['contacts', filters],
    queryFn: () =>
      got(
        api.GET('/api/v1/admin/contacts', {
          params: { query: { page: Number(page ?? 0), size: 50, ...(status ? { status } : {}), search } },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead title={common.contacts}>
        <Button
          onPress={() =>
            void download(`/api/v1/admin/contacts/export${stringifySearch({ status, search })}`, 'contacts.csv').catch(
              notifyFailure,
            )
          }
        >
          {common.export}
        </Button>
      </PageHead>
      <nav className={css.tabs} aria-label={common.status}>
        {[undefined, ...CONTACT_STATUSES].map((one) => (
          <button
            key={one ?? ''}
            type="button"
            className={css.tab}
            aria-current={status === one ? 'true' : undefined}
            onClick={() => setFilters({ status: one })}
          >
            {one === undefined ? common.all : common.contactStatus[one]}
          </button>
        ))}
      </nav>
      <Toolbar>
        <SearchField label={t.searchHint} value={search} onChange={(value) => setFilters({ search: value })} />
      </Toolbar>
      <Loaded query={contacts}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <>
              <Table label={common.contacts}>
                <thead>
                  <tr>
                    <th>{common.personName}</th>
                    <th>{t.phone}</th>
                    <th>{t.message}</th>
                    <th>{common.status}</th>
                    <th>{t.received}</th>
                  </tr>
                </thead>
                <tbody>
                  {found.content.map((contact) => (
                    <tr key={contact.id}>
                      <td data-main>
                        <Link to="/contacts/$id" params={{ id: String(contact.id) }}>
                          {contact.name}
                        </Link>
                      </td>
                      <td data-label={t.phone}>{contact.phone}</td>
                      <td>{contact.message.slice(0, 120)}</td>
                      <td data-label={common.status}>
                        <Badge tone={TONES[contact.status]}>{common.contactStatus[contact.status]}</Badge>
                      </td>
                      <td data-label={t.received} title={formatTime(contact.createdAt)}>
                        {formatAgo(contact.createdAt)}
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
    </>
  )
}
