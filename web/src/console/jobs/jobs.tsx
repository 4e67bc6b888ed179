import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { formatAgo, formatDuration, formatTime } from '../../ui/format.ts'
import { Hidden, PageHead, Table } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { RunBadge } from '../run-badge.tsx'
import { t as common } from '../text.ts'
import { t } from './text.ts'

const RUNNING_POLL_MS = 3000

export function Jobs() {
  const [shown, setShown] = useState<string | null>(null)
  const jobs = useQuery({
    queryKey: ['jobs'],
    queryFn: () => got(api.GET('/api/v1/admin/jobs')),
    refetchInterval: ({ state }) => (state.data?.some(({ running }) => running) ? RUNNING_POLL_MS : false),
  })
  const run = useMutation({
    mutationFn: (name: string) => got(api.POST('/api/v1/admin/jobs/{name}/run', { params: { path: { name } } })),
  })
  const change = useMutation({
    mutationFn: ({ name, enabled }: { name: string; enabled: boolean }) =>
      got(api.PATCH('/api/v1/admin/jobs/{name}', { params: { path: { name } }, body: { enabled } })),
  })
  return (
    <>
      <PageHead title={common.jobs} />
      <Loaded query={jobs}>
        {(all) => (
          <Table label={common.jobs}>
            <thead>
              <tr>
                <th>{t.job}</th>
                <th>{t.on}</th>
                <th>{t.next}</th>
                <th>{t.last}</th>
                <th>
                  <Hidden>{common.actions}</Hidden>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((job) => (
                <tr key={job.name}>
                  <td data-main>
                    {job.description}
                    <div className={`${css.muted} ${css.small}`}>
                      {job.name} · {job.schedule}
                    </div>
                  </td>
                  <td data-label={t.on}>
                    <CheckField
                      aria-label={`${t.on}: ${job.description}`}
                      isSelected={job.enabled}
                      onChange={(enabled) => change.mutate({ name: job.name, enabled })}
                    />
                  </td>
                  <td data-label={t.next}>{job.running ? '' : formatTime(job.nextRunAt)}</td>
                  <td data-label={t.last}>
                    {job.running ? (
                      <RunBadge status="RUNNING" />
                    ) : job.lastRun === null ? (
                      <span className={css.muted}>{t.never}</span>
                    ) : (
                      <div>
                        <RunBadge status={job.lastRun.status} />{' '}
                        <span className={css.small}>
                          {formatAgo(job.lastRun.startedAt)} · {formatDuration(job.lastRun.durationMs)}
                        </span>
                        {job.lastRun.error && <div className={`${css.bad} ${css.small}`}>{job.lastRun.error}</div>}
                      </div>
                    )}
                  </td>
                  <td data-number>
                    <Button
                      look="quiet"
                      aria-label={`${t.runs}: ${job.description}`}
                      onPress={() => setShown(job.name)}
                    >
                      {t.runs}
                    </Button>
                    <Button
                      aria-label={`${t.run}: ${job.description}`}
                      isDisabled={job.running}
                      onPress={() => run.mutate(job.name)}
                    >
                      {t.run}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Loaded>
      {shown !== null && <JobRuns name={shown} onClose={() => setShown(null)} />}
    </>
  )
}

function JobRuns({ name, onClose }: { name: string; onClose: () => void }) {
  const runs = useQuery({
    queryKey: ['jobs', name],
    queryFn: () => got(api.GET('/api/v1/admin/jobs/{name}/runs', { params: { path: { name } } })),
  })
  return (
    <Dialog title={`${t.runs}: ${name}`} isOpen onClose={onClose} isWide>
      <Loaded query={runs}>
        {(all) =>
          all.length === 0 ? (
            <p>{t.never}</p>
          ) : (
            <Table label={t.runs}>
              <tbody>
                {all.map((run) => (
                  <tr key={run.id}>
                    <td data-main>{formatTime(run.startedAt)}</td>
                    <td>
                      <RunBadge status={run.status} />
                    </td>
                    <td>{formatDuration(run.durationMs)}</td>
                    <td className={css.bad}>{run.error}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
    </Dialog>
  )
}
