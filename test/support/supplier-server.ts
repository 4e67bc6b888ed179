import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createSupplierClient } from '../../src/clients/supplier/client.ts'
import type { SupplierHttpConfig } from '../../src/clients/supplier/http.ts'
import { cut, listen } from './loopback.ts'

const servers: Server[] = []

/** Closes all servers started since the last call. */
export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map(cut))
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
  const port = await listen(server)
  servers.push(server)
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
