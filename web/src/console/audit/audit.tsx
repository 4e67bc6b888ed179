import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, got, type Schemas } from '../../api/client.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf, useFilters } from '../../ui/filters.ts'
import { DASH, formatTime } from '../../ui/format.ts'
import { PageHead, Pager, SearchField, Table, Toolbar } from '../../ui/list.tsx'
import { Empty, Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { t } from './text.ts'

type Entry = Schemas['AuditEntry']

const ENTITIES = [
  'ORDER',
  'PRODUCT',
  'CATEGORY',
  'CATEGORY_FILTER',
  'CATEGORY_MAPPING',
  'BRAND',
  'TAG',
  'ATTRIBUTE',
  'ATTRIBUTE_RULE',
  'IMAGE',
  'IMAGE_OVERRIDE',
  'DELETED_PRODUCT',
  'REVIEW',
  'BANNER',
  'FEATURE',
  'CONTACT',
  'CONFIG',
  'USER',
  'API_KEY',
  'LOGIN_BLOCK',
  'SYNC',
  'PIPELINE',
  'JOB',
  'MAIL',
  'WEBHOOK',
  'LICENCE_PRICE',
  'LICENCE_TOPUP',
] as const satisfies readonly Entry['entity'][]

/** Who changed what. */
export function Audit() {
  const [filters, setFilters] = useFilters()
  const { page, actor, dateFrom, dateTo } = filters
  const entity = oneOf(ENTITIES, filters.entity)
  const entries = useQuery({
    queryKey: ['audit', filters],
    queryFn: () =>
      got(
        api.GET('/api/v1/admin/audit', {
          params: {
            query: { page: Number(page ?? 0), size: 50, actor, dateFrom, dateTo, ...(entity ? { entity } : {}) },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead title={common.audit} />
      <Toolbar>
        <SearchField label={t.whoHint} value={actor} onChange={(value) => setFilters({ actor: value })} />
        <SelectField
          label={t.entity}
          value={entity ?? ''}
          options={[['', common.all], ...ENTITIES.map((one): [string, string] => [one, one])]}
          onChange={(value) => setFilters({ entity: value })}
        />
        <TextField
          type="date"
          label={common.from}
          value={dateFrom ?? ''}
          onChange={(value) => setFilters({ dateFrom: value })}
        />
        <TextField
          type="date"
          label={common.to}
          value={dateTo ?? ''}
          onChange={(value) => setFilters({ dateTo: value })}
        />
      </Toolbar>
      <Loaded query={entries}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <>
              <Table label={common.audit}>
                <thead>
                  <tr>
                    <th>{t.when}</th>
                    <th>{t.who}</th>
                    <th>{t.entity}</th>
                    <th>{common.changed}</th>
                  </tr>
                </thead>
                <tbody>
                  {found.content.map((entry) => (
                    <tr key={entry.id}>
                      <td data-main>{formatTime(entry.changedAt)}</td>
                      <td data-label={t.who}>{nameOf(entry)}</td>
                      <td data-label={t.entity}>
                        {entry.entity} {entry.entityId} {t.actions[entry.action]}
                      </td>
                      <td>
                        <Changes entry={entry} />
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
