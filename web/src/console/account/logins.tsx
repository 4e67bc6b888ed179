import { useMutation, useQuery } from '@tanstack/react-query'
import { api, done, got } from '../../api/client.ts'
import { ConfirmButton } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Badge, Panel } from '../../ui/list.tsx'
import { List } from '../../ui/table.tsx'
import { t } from './text.ts'

const TONES = { SUCCEEDED: 'good', WRONG_PASSWORD: 'bad', WRONG_CODE: 'bad', CODE_REQUIRED: 'warn' } as const

/** Who has logged in as the user, and how to end what isn't his. */
export function Logins() {
  const logins = useQuery({ queryKey: ['profile', 'logins'], queryFn: () => got(api.GET('/api/v1/auth/logins')) })
  // This session ends, too: what is read next asks for the password.
  const end = useMutation({ mutationFn: () => done(api.POST('/api/v1/auth/logout-everywhere')) })
  return (
    <Panel
      title={t.logins}
      actions={
        <ConfirmButton
          look="danger"
          confirm={t.logOutEverywhere}
          question={t.logOutQuestion}
          onConfirm={() => end.mutate()}
        />
      }
    >
      <List
        label={t.logins}
        query={logins}
        empty={t.noLogins}
        rowKey={({ time, network }) => time + network}
        columns={[
          { head: t.when, cell: ({ time }) => formatTime(time) },
          { head: t.outcome, cell: ({ outcome }) => <Badge tone={TONES[outcome]}>{t.outcomes[outcome]}</Badge> },
          { head: t.client, cell: ({ client }) => client },
          { head: t.network, cell: ({ network }) => network },
        ]}
      />
    </Panel>
  )
}
