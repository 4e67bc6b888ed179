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
  let isClosed = false

  function connect(): void {
    socket = new WebSocket(`${window.location.origin.replace('http', 'ws')}/ws/events`)
    socket.onopen = () => {
      onOpen((message) => socket?.send(JSON.stringify(message)), failures > 0)
      failures = 0
    }
    socket.onmessage = ({ data }) => {
      const message: unknown = JSON.parse(String(data))
      if (isObject(message)) onMessage(message)
    }
    socket.onclose = () => {
      if (isClosed) return
      onClose?.()
      failures += 1
      timer = setTimeout(connect, Math.random() * Math.min(MAX_DELAY_MS, 500 * 2 ** failures))
    }
  }

  connect()
  return () => {
    isClosed = true
    clearTimeout(timer)
    socket?.close()
  }
}
