import type { QueryClient } from '@tanstack/react-query'
import { readToken } from './session.ts'

/** What each kind of message makes stale: the first members of query keys. */
const STALE: { [prefix: string]: string[] } = {
  order: ['orders'],
  contact: ['contacts', 'orders'],
  product: ['products'],
  products: ['products'],
  catalogue: ['categories', 'brands', 'tags', 'banners', 'features', 'settings', 'attributes'],
  feed: ['dashboard'],
  sync: ['sync', 'dashboard', 'jobs'],
  pipeline: ['pipeline', 'jobs'],
  scrape: ['scraping', 'jobs'],
  job: ['jobs'],
  alert: ['alerts', 'dashboard'],
}

/**
 * Keeps one connection to `/ws/events` and reads anew what somebody else has changed (docs/events.md).
 * @returns closes it
 */
export function followEvents(
  client: QueryClient,
  topics: readonly string[],
  onConnected: (connected: boolean) => void,
): () => void {
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isClosed = false

  function connect(): void {
    socket = new WebSocket(`${window.location.origin.replace('http', 'ws')}/ws/events`)
    socket.onopen = () => {
      const token = readToken()
      if (token !== null) socket?.send(JSON.stringify({ type: 'authenticate', token }))
      // One by one: a topic that is refused would refuse the others with it.
      for (const topic of topics) socket?.send(JSON.stringify({ type: 'subscribe', topics: [topic] }))
      // Something may have been missed.
      if (failures > 0) void client.invalidateQueries()
      failures = 0
      onConnected(true)
    }
    socket.onmessage = ({ data }) => receive(client, data)
    socket.onclose = () => {
      if (isClosed) return
      onConnected(false)
      failures += 1
      timer = setTimeout(connect, Math.random() * Math.min(30_000, 500 * 2 ** failures))
    }
  }

  connect()
  return () => {
    isClosed = true
    clearTimeout(timer)
    socket?.close()
  }
}

function receive(client: QueryClient, data: unknown): void {
  const message: unknown = JSON.parse(String(data))
  if (typeof message !== 'object' || message === null || !('type' in message)) return
  const type = String(message.type)
  if (type === 'resync') void client.invalidateQueries()
  for (const noun of STALE[type.split('.')[0] ?? ''] ?? []) void client.invalidateQueries({ queryKey: [noun] })
}
