import { useSyncExternalStore } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { Button } from './button.tsx'
import css from './notice.module.css'
import { t } from './text.ts'

type Notice = { id: number; text: string; requestId?: string | undefined; repeat?: (() => void) | undefined }

const SHOWN_MS = 5000
let notices: readonly Notice[] = []
let listeners: (() => void)[] = []
let last = 0

function show(next: readonly Notice[]): void {
  notices = next
  for (const listener of listeners) listener()
}

function close(id: number): void {
  show(notices.filter((notice) => notice.id !== id))
}

function subscribe(listener: () => void): () => void {
  listeners = [...listeners, listener]
  return () => {
    listeners = listeners.filter((one) => one !== listener)
  }
}

/** Says in a corner what has been done. */
export function notify(text: string): void {
  last += 1
  const id = last
  show([...notices.slice(-2), { id, text }])
  setTimeout(() => close(id), SHOWN_MS)
}

/** Says what failed; it stays until it is closed. */
export function notifyFailure(error: unknown, repeat?: () => void): void {
  last += 1
  const requestId = error instanceof ApiFailure ? error.requestId : undefined
  show([...notices.slice(-2), { id: last, text: describeFailure(error), requestId, repeat }])
}

/** The sentence that a person reads about a failure. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof ApiFailure)) return String(error)
  if (error.status === 0) return t.noConnection
  const [detail] = error.details
  return [error.message || `${t.failed} (${error.status})`, detail?.message].filter(Boolean).join('. ')
}

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <div className={css.notices} role="status">
      {shown.map(({ id, text, requestId, repeat }) => (
        <div key={id} className={repeat || requestId ? css.failure : css.notice}>
          <div>
            {text}
            {requestId && <div className={css.id}>{t.requestId(requestId)}</div>}
          </div>
          {repeat && (
            <Button
              look="quiet"
              onPress={() => {
                close(id)
                repeat()
              }}
            >
              {t.repeat}
            </Button>
          )}
          <Button look="quiet" aria-label={t.close} onPress={() => close(id)}>
            ✕
          </Button>
        </div>
      ))}
    </div>
  )
}
