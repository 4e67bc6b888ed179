import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { cut, listen } from './loopback.ts'

type PageHandler = (request: IncomingMessage, response: ServerResponse) => void

export type ScriptedStorefront = {
  site: string
  /** `host:port`, for GBSTORE_SCRAPING_ALLOWED_HOSTS. */
  host: string
  /** Content by path: HTML, bytes, a status, or a handler. Other paths are 404. */
  paths: Map<string, string | Buffer | number | PageHandler>
  /** Requested paths in order. */
  asked: string[]
  close(): Promise<void>
}

/** A storefront whose responses are set by the test. */
export async function startStorefront(): Promise<ScriptedStorefront> {
  const paths: ScriptedStorefront['paths'] = new Map()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = paths.get(path) ?? 404
    if (typeof answer === 'function') answer(request, response)
    else if (typeof answer === 'number') response.writeHead(answer).end()
    else {
      const type = typeof answer === 'string' ? 'text/html; charset=utf-8' : 'image/png'
      response.writeHead(200, { 'content-type': type }).end(answer)
    }
  })
  const host = `127.0.0.1:${await listen(server)}`
  return {
    site: `http://${host}`,
    host,
    paths,
    asked,
    close: () => cut(server),
  }
}
