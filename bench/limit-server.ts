import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import pg from 'pg'

/**
 * The physical limit: a bare Fastify that sends bytes from memory or from a file, JSON rows of one flat table, or the
 * results of given statements in a transaction. limits.ts uploads the data over HTTP. Statements are prepared.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 })
const app = fastify({ bodyLimit: 256 * 1024 * 1024 })

/** Texts of statements, and per request the values of each. */
export type StatementCase = { texts: string[]; requests: unknown[][][] }
/** A statement that returns a column `json`, and per request its values. */
export type FlatCase = { text: string; requests: unknown[][] }

const memory = new Map<string, Buffer>()
const files = new Map<string, { path: string; size: number }>()
const folder = await mkdtemp(join(tmpdir(), 'shop-bench-files-'))
const cases = new Map<string, StatementCase>()
const flats = new Map<string, FlatCase>()
const names = new Map<string, string>()
let turn = 0

app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

app.get('/health', async () => 'ok')

app.put<{ Params: { name: string }; Body: Buffer }>('/memory/:name', async (request) => {
  memory.set(request.params.name, request.body)
  return 'ok'
})

app.put<{ Params: { name: string }; Body: Buffer }>('/file/:name', async ({ params, body }) => {
  const path = join(folder, String(files.size))
  await writeFile(path, body)
  files.set(params.name, { path, size: body.length })
  return 'ok'
})

app.put<{ Params: { name: string }; Body: StatementCase }>('/sql/:name', async (request) => {
  cases.set(request.params.name, request.body)
  return 'ok'
})

app.put<{ Params: { name: string }; Body: FlatCase }>('/flat/:name', async (request) => {
  flats.set(request.params.name, request.body)
  return 'ok'
})

app.route<{ Params: { name: string } }>({
  method: ['GET', 'POST'],
  url: '/memory/:name',
  handler: async (request, reply) =>
    reply.type('application/json; charset=utf-8').send(memory.get(request.params.name)),
})

app.get<{ Params: { name: string } }>('/file/:name', async ({ params }, reply) => {
  const { path = '', size = 0 } = files.get(params.name) ?? {}
  return reply.type('image/jpeg').header('content-length', size).send(createReadStream(path))
})

app.route<{ Params: { name: string } }>({
  method: ['GET', 'POST'],
  url: '/flat/:name',
  handler: async ({ params: { name } }, reply) => {
    const { text, requests } = flats.get(name) ?? { text: '', requests: [] }
    const values = requests[turn++ % requests.length] ?? []
    const { rows } = await pool.query<{ json: string }>({ name: nameOf(text), text, values })
    return reply.type('application/json; charset=utf-8').send(`[${rows.map(({ json }) => json).join(',')}]`)
  },
})

app.route<{ Params: { name: string } }>({
  method: ['GET', 'POST'],
  url: '/sql/:name',
  handler: async ({ params: { name } }) => {
    const { texts, requests } = cases.get(name) ?? { texts: [], requests: [] }
    return runInTransaction(texts, requests[turn++ % requests.length] ?? [])
  },
})

async function runInTransaction(texts: string[], values: unknown[][]): Promise<unknown[]> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const answers: unknown[] = []
    for (const [index, text] of texts.entries()) {
      const statement = { name: nameOf(text), text, values: values[index] ?? [] }
      answers.push((await client.query(statement)).rows)
    }
    await client.query('commit')
    return answers
  } finally {
    client.release()
  }
}

/** Name of the prepared statement, at most 63 characters. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `limit_${names.size}`
  names.set(text, name)
  return name
}

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.on('SIGTERM', () => {
  app
    .close()
    .then(() => rm(folder, { recursive: true, force: true }))
    .then(() => process.exit(0))
})
