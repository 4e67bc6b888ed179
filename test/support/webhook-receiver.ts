import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { cut, listen } from './loopback.ts'

type Received = {
  /** `webhook-id` */
  id: string
  headers: Record<string, string>
  body: string
  type: string
  data: unknown
}

export type WebhookReceiver = {
  url: string
  port: number
  received: Received[]
  /** How requests are answered; by default with 204. */
  answer: (response: ServerResponse, received: Received) => void
  /** Resolves when so many requests have arrived in all. */
  untilReceived(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts a receiver of webhooks. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => void handle(request, response))
  const port = await listen(server)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const { type, data } = JSON.parse(body)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const received = { id: headers['webhook-id'] ?? '', headers, body, type, data }
    receiver.received.push(received)
    for (const check of waiting) check()
    receiver.answer(response, received)
  }

  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received: [],
    answer: (response) => response.writeHead(204).end(),
    untilReceived(count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const check = () => {
        if (receiver.received.length >= count) resolve()
      }
      waiting.add(check)
      check()
      return promise.finally(() => waiting.delete(check))
    },
    close: () => cut(server),
  }
  return receiver
}
