import { useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { formatTime } from '../../ui/format.ts'
import { Badge, PageHead, Panel } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { t as common } from '../text.ts'
import { t } from './text.ts'

/** What needs an operator. */
export function Alerts() {
  const alerts = useQuery({ queryKey: ['alerts'], queryFn: () => got(api.GET('/api/v1/admin/alerts')) })
  return (
    <>
      <PageHead title={common.alerts} />
      <Loaded query={alerts}>
        {(all) => {
          const open = all.filter(({ endedAt }) => endedAt === null)
          const past = all.filter(({ endedAt }) => endedAt !== null)
          return (
            <>
              <Panel title={t.open}>
                {open.length === 0 && <p>{t.nothing}</p>}
                <ul className={css.list}>
                  {open.map((alert) => (
                    <li key={alert.id}>
                      <div className={css.row}>
                        <Badge tone="bad">{alert.name}</Badge> <strong>{alert.summary}</strong>
                        <span className={css.muted}>{t.since(formatTime(alert.beganAt))}</span>
                      </div>
                      <p className={css.pre}>{alert.details}</p>
                    </li>
                  ))}
                </ul>
              </Panel>
              <Panel title={t.past}>
                {past.length === 0 && <p className={css.muted}>{t.noPast}</p>}
                <ul className={css.list}>
                  {past.map((alert) => (
                    <li key={alert.id}>
                      {alert.summary}{' '}
                      <span className={`${css.muted} ${css.small}`}>
                        {formatTime(alert.beganAt)} – {formatTime(alert.endedAt)}
                      </span>
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
