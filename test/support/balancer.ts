import { Agent, createServer, get, type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { cut, listen } from './loopback.ts'
import { PROCESS_TIMEOUT_MS } from './serving-process.ts'

const HEALTH_INTERVAL_MS = 100
const RETRY_MS = 25

export type Balancer = {
  url: string
  /** Sends requests to an instance, too, once it is ready. */
  add(instance: string): void
  /** Resolves when the instance is ready, or no longer. */
  until(instance: string, ready: boolean): Promise<void>
  close(): Promise<void>
}

/**
 * Does what deploy/caddy/Caddyfile tells Caddy: requests go in turn to the instances that are ready. Only a request whose
 * connection was refused is sent again; nothing of it has arrived. Each request opens a connection of its own, which is
 * hardest on an instance that stops.
 */
export async function startBalancer(): Promise<Balancer> {
  const instances = new Map<string, boolean>()
  const checks: Promise<void>[] = []
  let turn = 0
  let isClosed = false

  async function check(instance: string): Promise<void> {
    while (!isClosed) {
      instances.set(instance, await isReady(instance))
      await delay(HEALTH_INTERVAL_MS)
    }
  }

  function next(): string | undefined {
    const ready = [...instances].filter(([, isReady]) => isReady).map(([instance]) => instance)
    turn += 1
    return ready[turn % ready.length]
  }

  async function forward(incoming: IncomingMessage, body: Buffer): Promise<{ answer: IncomingMessage }> {
    for (const deadline = Date.now() + PROCESS_TIMEOUT_MS; ; await delay(RETRY_MS)) {
      const instance = next()
      if (instance !== undefined) {
        const answer = await send(instance, incoming, body).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNREFUSED') throw error
        })
        if (answer) return { answer }
      }
      if (Date.now() > deadline) throw new Error('No instance is ready')
    }
  }

  const server = createServer(async (incoming, outgoing) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      const { answer } = await forward(incoming, Buffer.concat(chunks))
      const { connection: _, ...headers } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 0, headers)
      answer.on('error', () => outgoing.destroy()).pipe(outgoing)
    } catch (error) {
      outgoing.writeHead(502).end(String(error))
    }
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    add(instance) {
      instances.set(instance, false)
      checks.push(check(instance))
    },
    async until(instance, ready) {
      while (instances.get(instance) !== ready) await delay(RETRY_MS)
    },
    async close() {
      isClosed = true
      await Promise.all(checks)
      await cut(server)
    },
  }
}

function isReady(instance: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${instance}/health/ready`, { agent: new Agent() }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}

function send(instance: string, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { method = 'GET', url = '/', headers } = incoming
  return new Promise((resolve, reject) => {
    request(instance + url, { method, headers: { ...headers, connection: 'close' }, agent: false }, resolve)
      .on('error', reject)
      .end(body)
  })
}
