import { useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DASH, formatDuration, formatNumber, formatTime } from '../../ui/format.ts'
import { Facts, Loaded } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { type Column, Table } from '../../ui/table.tsx'
import { RunBadge } from '../run-badge.tsx'
import { t } from './text.ts'

const COUNTS = ['seen', 'created', 'updated', 'unchanged', 'skipped', 'deactivated'] as const

export function SyncRunDetails({ id, onClose }: { id: number; onClose: () => void }) {
  const run = useQuery({
    queryKey: ['sync', 'run', id],
    queryFn: () => got(api.GET('/api/v1/admin/sync/runs/{id}', { params: { path: { id } } })),
  })
  return (
    <Dialog title={t.sync} onClose={onClose} isWide>
      <Loaded query={run}>
        {(read) => (
          <div className={css.stack}>
            <Facts
              facts={[
                [t.status, <RunBadge key="status" status={read.status} />],
                [t.started, formatTime(read.startedAt)],
                [t.duration, formatDuration(read.durationMs)],
                [t.feed, read.feed ? `${read.feed.status} · ${t.offers(formatNumber(read.feed.offers))}` : DASH],
              ]}
            />
            {[read.error, ...read.warnings].map(
              (text) =>
                text && (
                  <p key={text} className={css.bad}>
                    {text}
                  </p>
                ),
            )}
            <Table
              label={t.sync}
              rows={read.types}
              rowKey={({ syncType }) => syncType}
              columns={[
                {
                  head: t.name,
                  cell: ({ syncType, fullLoad }) => `${t.types[syncType]}${fullLoad ? ` (${t.fullLoad})` : ''}`,
                },
                ...COUNTS.map(
                  (member): Column<(typeof read.types)[number]> => ({
                    head: t[member],
                    type: 'number',
                    cell: (type) => formatNumber(type[member]),
                  }),
                ),
              ]}
            />
            {read.skippedRecords.length > 0 && (
              <details>
                <summary>
                  {t.skippedRecords}: {read.skippedRecords.length}
                </summary>
                <ul className={css.list}>
                  {read.skippedRecords.map(({ syncType, externalId, reason }) => (
                    <li key={`${syncType}${externalId}${reason}`}>
                      {t.types[syncType]} {externalId ?? DASH}: {reason}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}
