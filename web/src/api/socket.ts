const MAX_DELAY_MS = 30_000

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

type Listener = {
  /** What is sent first. @param isAgain whether something may have been missed */
  onOpen: (send: (message: object) => void, isAgain: boolean) => void
  onMessage: (message: Readonly<Record<string, unknown>>) => void
  onClose?: () => void
}

/** Keeps one connection to `/ws/events` (docs/events.md). @returns closes it */
export function connectEvents({ onOpen, onMessage, onClose }: Listener): () => void {
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0

  function connect(): void {
    clearTimeout(timer)
    const opened = new WebSocket(`${window.location.origin.replace('http', 'ws')}/ws/events`)
    socket = opened
    opened.onopen = () => {
      onOpen((message) => opened.send(JSON.stringify(message)), failures > 0)
      failures = 0
    }
    opened.onmessage = ({ data }) => {
      const message: unknown = JSON.parse(String(data))
      if (isObject(message)) onMessage(message)
    }
    opened.onclose = () => {
      if (socket !== opened) return
      lose()
      timer = setTimeout(connect, Math.random() * Math.min(MAX_DELAY_MS, 500 * 2 ** failures))
    }
  }

  function close(): void {
    clearTimeout(timer)
    const closed = socket
    socket = undefined
    closed?.close()
  }

  function lose(): void {
    close()
    failures += 1
    onClose?.()
  }

  connect()
  // A connection without a network closes only after minutes.
  window.addEventListener('offline', lose)
  window.addEventListener('online', connect)
  return () => {
    close()
    window.removeEventListener('offline', lose)
    window.removeEventListener('online', connect)
  }
}
