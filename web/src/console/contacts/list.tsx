import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, got } from '../../api/client.ts'
import { oneOf, SearchFilter, stringifySearch, TabFilter, useFilters } from '../../ui/filters.tsx'
import { Ago, Badge, PageHead, Toolbar } from '../../ui/list.tsx'
import { List } from '../../ui/table.tsx'
import { ExportButton } from '../export-button.tsx'
import { t } from './text.ts'

const TONES = { NEW: 'accent', READ: 'muted', IN_PROGRESS: 'warn', CLOSED: 'good' } as const

export function ContactList() {
  const [filters] = useFilters()
  const { page, search } = filters
  const status = oneOf(t.contactStatus, filters.status)
  const contacts = useQuery({
    queryKey: ['contacts', filters],
    queryFn: () => {
      const query = { page: Number(page ?? 0), size: 50, status, search }
      return got(api.GET('/api/v1/admin/contacts', { params: { query } }))
    },
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead title={t.contacts}>
        <ExportButton
          path={`/api/v1/admin/contacts/export${stringifySearch({ status, search })}`}
          name="contacts.csv"
        />
      </PageHead>
      <TabFilter name="status" label={t.status} options={[['', t.all], ...Object.entries(t.contactStatus)]} />
      <Toolbar>
        <SearchFilter label={t.searchHint} />
      </Toolbar>
      <List
        label={t.contacts}
        query={contacts}
        empty={t.none}
        columns={[
          {
            head: t.personName,
            cell: ({ id, name }) => (
              <Link to="/contacts/$id" params={{ id: String(id) }}>
                {name}
              </Link>
            ),
          },
          { head: t.phone, cell: ({ phone }) => phone },
          { head: t.message, type: 'text', cell: ({ message }) => message.slice(0, 120) },
          {
            head: t.status,
            cell: ({ status: own }) => <Badge tone={TONES[own]}>{t.contactStatus[own]}</Badge>,
          },
          { head: t.received, cell: ({ createdAt }) => <Ago time={createdAt} /> },
        ]}
      />
    </>
  )
}
