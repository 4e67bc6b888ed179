import { useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DASH, formatDuration, formatNumber, formatTime } from '../../ui/format.ts'
import { Facts, Hidden, Table } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RunBadge } from '../run-badge.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

export function SyncRunDetails({ id, onClose }: { id: number; onClose: () => void }) {
  const run = useQuery({
    queryKey: ['sync', 'run', id],
    queryFn: () => got(api.GET('/api/v1/admin/sync/runs/{id}', { params: { path: { id } } })),
  })
  return (
    <Dialog title={common.sync} isOpen onClose={onClose} isWide>
      <Loaded query={run}>
        {(read) => (
          <div className={css.stack}>
            <Facts
              facts={[
                [common.status, <RunBadge key="status" status={read.status} />],
                [common.started, formatTime(read.startedAt)],
                [common.duration, formatDuration(read.durationMs)],
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
            <Table label={common.sync}>
              <thead>
                <tr>
                  <th>
                    <Hidden>{common.name}</Hidden>
                  </th>
                  <th data-number>{t.seen}</th>
                  <th data-number>{t.created}</th>
                  <th data-number>{t.updated}</th>
                  <th data-number>{t.unchanged}</th>
                  <th data-number>{t.skipped}</th>
                  <th data-number>{t.deactivated}</th>
                </tr>
              </thead>
              <tbody>
                {read.types.map((type) => (
                  <tr key={type.syncType}>
                    <td data-main>
                      {t.types[type.syncType]} {type.fullLoad && `(${t.fullLoad})`}
                    </td>
                    {(['seen', 'created', 'updated', 'unchanged', 'skipped', 'deactivated'] as const).map((member) => (
                      <td key={member} data-label={t[member]} data-number>
                        {formatNumber(type[member])}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </Table>
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
