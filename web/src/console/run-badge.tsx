import { Badge } from '../ui/list.tsx'
import { t } from './text.ts'

const TONES = { RUNNING: 'accent', SUCCEEDED: 'good', FAILED: 'bad', PENDING: 'muted' } as const

/** How a run of the background stands. */
export function RunBadge({ status }: { status: keyof typeof TONES }) {
  return <Badge tone={TONES[status]}>{t.runStatus[status]}</Badge>
}
