import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../../api/client.ts'
import { DateFilter, oneOf, SearchFilter, SelectFilter, useFilters } from '../../ui/filters.tsx'
import { DASH, formatTime } from '../../ui/format.ts'
import { PageHead, Toolbar } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { List } from '../../ui/table.tsx'
import { t } from './text.ts'

type Entry = Schemas['AuditEntry']

/** Who changed what. */
export function Audit() {
  const [filters] = useFilters()
  const { page, actor, dateFrom, dateTo } = filters
  const query = {
    page: Number(page ?? 0),
    size: 50,
    actor,
    dateFrom,
    dateTo,
    entity: oneOf(t.entities, filters.entity),
  }
  const entries = useQuery({
    queryKey: ['audit', filters],
    queryFn: () => got(api.GET('/api/v1/admin/audit', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead title={t.audit} />
      <Toolbar>
        <SearchFilter name="actor" label={t.whoHint} />
        <SelectFilter name="entity" label={t.entity} options={Object.entries(t.entities)} />
        <DateFilter name="dateFrom" label={t.from} />
        <DateFilter name="dateTo" label={t.to} />
      </Toolbar>
      <List
        label={t.audit}
        query={entries}
        empty={t.none}
        columns={[
          { head: t.when, cell: ({ changedAt }) => formatTime(changedAt) },
          { head: t.who, cell: nameOf },
          {
            head: t.entity,
            cell: ({ entity, entityId, action }) => `${t.entities[entity]} ${entityId ?? ''} ${t.actions[action]}`,
          },
          { head: t.changed, type: 'text', cell: (entry) => <Changes entry={entry} /> },
        ]}
      />
    </>
  )
}

function nameOf({ actorEmail, actorKey, actorKind, actorId }: Entry): string {
  if (actorEmail ?? actorKey) return actorEmail ?? actorKey ?? ''
  return actorKind === 'SERVICE' ? t.service : actorKind === 'CUSTOMER' ? t.customer : String(actorId ?? DASH)
}

function Changes({ entry: { before, after } }: { entry: Entry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return null
  return (
    <details>
      <summary>{names.slice(0, 4).join(', ')}</summary>
      <ul className={`${css.list} ${css.small}`}>
        {names.map((name) => (
          <li key={name}>
            <strong>{name}</strong>: {show(before?.[name])} → {show(after?.[name])}
          </li>
        ))}
      </ul>
    </details>
  )
}

function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return DASH
  return typeof value === 'string' ? value : JSON.stringify(value)
}
