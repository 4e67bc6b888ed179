import type { QueryClient } from '@tanstack/react-query'
import { readToken } from './session.ts'
import { connectEvents } from './socket.ts'

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

/** Reads anew what somebody else has changed. @returns ends that */
export function followEvents(
  client: QueryClient,
  topics: readonly string[],
  onConnected: (connected: boolean) => void,
): () => void {
  return connectEvents({
    onOpen: (send, isAgain) => {
      const token = readToken()
      if (token !== null) send({ type: 'authenticate', token })
      // One by one: a topic that is refused would refuse the others with it.
      for (const topic of topics) send({ type: 'subscribe', topics: [topic] })
      if (isAgain) void client.invalidateQueries()
      onConnected(true)
    },
    onMessage: (message) => {
      const type = String(message.type)
      if (type === 'resync') void client.invalidateQueries()
      for (const noun of STALE[type.split('.')[0] ?? ''] ?? []) void client.invalidateQueries({ queryKey: [noun] })
    },
    onClose: () => onConnected(false),
  })
}
