import { useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { formatTime } from '../../ui/format.ts'
import { Badge, Empty, Loaded, PageHead, Panel, Small } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

/** What needs an operator. */
export function Alerts() {
  const alerts = useQuery({ queryKey: ['alerts'], queryFn: () => got(api.GET('/api/v1/admin/alerts')) })
  return (
    <>
      <PageHead title={t.alerts} />
      <Loaded query={alerts}>
        {(all) => {
          const open = all.filter(({ endedAt }) => endedAt === null)
          const past = all.filter(({ endedAt }) => endedAt !== null)
          return (
            <>
              <Panel title={t.open}>
                {open.length === 0 && <Empty>{t.nothing}</Empty>}
                <ul className={css.list}>
                  {open.map(({ id, name, summary, beganAt, details }) => (
                    <li key={id}>
                      <div className={css.row}>
                        <Badge tone="bad">{name}</Badge> <strong>{summary}</strong>
                        <span className={css.muted}>{t.since(formatTime(beganAt))}</span>
                      </div>
                      <p className={css.pre}>{details}</p>
                    </li>
                  ))}
                </ul>
              </Panel>
              <Panel title={t.past}>
                {past.length === 0 && <Empty>{t.noPast}</Empty>}
                <ul className={css.list}>
                  {past.map(({ id, summary, beganAt, endedAt }) => (
                    <li key={id}>
                      {summary} <Small>{`${formatTime(beganAt)} – ${formatTime(endedAt)}`}</Small>
                    </li>
                  ))}
                </ul>
              </Panel>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
