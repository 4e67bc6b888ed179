import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createSupplierClient } from '../../src/clients/supplier/client.ts'
import type { SupplierHttpConfig } from '../../src/clients/supplier/http.ts'

const closers: (() => void)[] = []

/** Closes all servers started since the last call. */
export function closeServers(): void {
  for (const close of closers.splice(0)) close()
}

export const EMPTY_PAGE = JSON.stringify({ items: [], page: 1, nextPage: null })
/** Accepts each order, and lists nothing. */
export const accept: RequestListener = (request, response) =>
  void response.end(request.method === 'POST' ? '{"id":"Z1"}' : EMPTY_PAGE)

type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string; at: number }

/** Starts a server on loopback that records requests, and a client for it. */
export async function startServer(answer: RequestListener, config: Partial<SupplierHttpConfig> = {}) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const note = { method, path, headers, body: '', at: performance.now() }
    seen.push(note)
    for await (const chunk of request) note.body += chunk
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  const { port } = address
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api`, ...config })
  return { client, seen, port }
}

/** A client with credentials. */
export function createClient(config: Partial<SupplierHttpConfig> & { baseUrl: string }) {
  return createSupplierClient({
    token: 'the-token',
    username: 'the-user',
    password: 'the-password',
    authType: 'BASIC',
    requestDelayMs: 0,
    timeZone: 'UTC',
    ...config,
  })
}
