import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { formatAgo, formatDuration, formatTime } from '../../ui/format.ts'
import { PageHead, Small } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { List } from '../../ui/table.tsx'
import { RunBadge } from '../run-badge.tsx'
import { t } from './text.ts'

export function Jobs() {
  const [shown, setShown] = useState<string | null>(null)
  const jobs = useQuery({ queryKey: ['jobs'], queryFn: () => got(api.GET('/api/v1/admin/jobs')) })
  const run = useMutation({
    mutationFn: (name: string) => got(api.POST('/api/v1/admin/jobs/{name}/run', { params: { path: { name } } })),
  })
  const change = useMutation({
    mutationFn: ({ name, enabled }: { name: string; enabled: boolean }) =>
      got(api.PATCH('/api/v1/admin/jobs/{name}', { params: { path: { name } }, body: { enabled } })),
  })
  return (
    <>
      <PageHead title={t.jobs} />
      <List
        label={t.jobs}
        query={jobs}
        empty={t.none}
        rowKey={({ name }) => name}
        columns={[
          {
            head: t.job,
            cell: ({ description }) => description,
            note: ({ name, schedule }) => `${name} · ${schedule}`,
          },
          {
            head: t.on,
            cell: ({ name, description, enabled: isOn }) => (
              <CheckField
                aria-label={`${t.on}: ${description}`}
                isSelected={isOn}
                onChange={(enabled) => change.mutate({ name, enabled })}
              />
            ),
          },
          { head: t.next, cell: ({ running, nextRunAt }) => (running ? '' : formatTime(nextRunAt)) },
          { head: t.last, cell: (job) => <LastRun job={job} /> },
          {
            head: t.actions,
            type: 'actions',
            cell: ({ name, description, running }) => (
              <>
                <Button look="quiet" aria-label={`${t.runs}: ${description}`} onPress={() => setShown(name)}>
                  {t.runs}
                </Button>
                <Button aria-label={`${t.run}: ${description}`} isDisabled={running} onPress={() => run.mutate(name)}>
                  {t.run}
                </Button>
              </>
            ),
          },
        ]}
      />
      {shown !== null && <JobRuns name={shown} onClose={() => setShown(null)} />}
    </>
  )
}

function LastRun({ job: { running, lastRun } }: { job: Schemas['Job'] }) {
  if (running) return <RunBadge status="RUNNING" />
  if (lastRun === null) return <span className={css.muted}>{t.never}</span>
  return (
    <>
      <RunBadge status={lastRun.status} />{' '}
      <Small>{`${formatAgo(lastRun.startedAt)} · ${formatDuration(lastRun.durationMs)}`}</Small>
      {lastRun.error && <Small isBad>{lastRun.error}</Small>}
    </>
  )
}

function JobRuns({ name, onClose }: { name: string; onClose: () => void }) {
  const runs = useQuery({
    queryKey: ['jobs', name],
    queryFn: () => got(api.GET('/api/v1/admin/jobs/{name}/runs', { params: { path: { name } } })),
  })
  return (
    <Dialog title={`${t.runs}: ${name}`} onClose={onClose} isWide>
      <List
        label={t.runs}
        query={runs}
        empty={t.never}
        columns={[
          { head: t.started, cell: ({ startedAt }) => formatTime(startedAt) },
          { head: t.status, cell: ({ status }) => <RunBadge status={status} /> },
          { head: t.duration, cell: ({ durationMs }) => formatDuration(durationMs) },
          { head: t.error, type: 'text', cell: ({ error }) => <Small isBad>{error}</Small> },
        ]}
      />
    </Dialog>
  )
}
