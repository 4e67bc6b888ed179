import { useMutation, useQuery } from '@tanstack/react-query'
import { api, done, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Panel, Small } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

/** Logins that are refused for a while. */
export function LoginBlocks() {
  const blocks = useQuery({ queryKey: ['login-blocks'], queryFn: () => got(api.GET('/api/v1/admin/login-blocks')) })
  const lift = useMutation({
    mutationFn: (id: string) => done(api.DELETE('/api/v1/admin/login-blocks/{id}', { params: { path: { id } } })),
  })
  if (blocks.data === undefined || blocks.data.length === 0) return null
  return (
    <Panel title={t.blocks}>
      <Small>{t.blocksHint}</Small>
      <ul className={css.list}>
        {blocks.data.map((block) => (
          <li key={block.id} className={css.row}>
            {[block.email, block.address].filter(Boolean).join(' · ')}
            <span className={css.muted}>
              {t.failures(block.failures)}, {t.until(formatTime(block.until))}
            </span>
            <Button look="quiet" onPress={() => lift.mutate(block.id)}>
              {t.lift}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
