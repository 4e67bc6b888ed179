import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_CODES } from '../src/errors.ts'
import { circlesIn, type Import, importsOf } from './support/imports.ts'

// The layers and house rules of the README, checked against imports and source text.
const ROOT = join(import.meta.dirname, '..')

type TextFile = { path: string; text: string }
type SourceFile = TextFile & { imports: Import[] }

const SERVICE_CODE = ['src', 'routes', 'plugins', 'db', 'jobs'].flatMap(filesIn).map(withImports)
const SHIPPED_CODE = [...SERVICE_CODE, ...filesIn('demo').map(withImports)]
const ALL_CODE: TextFile[] = [...SHIPPED_CODE, ...['bench', 'test'].flatMap(filesIn)]

function filesIn(folder: string): TextFile[] {
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return paths
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(ROOT, folder, path), 'utf8') }))
}

function withImports(file: TextFile): SourceFile {
  return { ...file, imports: importsOf(file.path, file.text) }
}

const isOurs = ({ target }: Import) => target.endsWith('.ts')
/** A place is a file, a folder with its subfolders (`src/rules/`), or the files of a folder (`db/*`). */
const lies = (path: string, places: string[]) =>
  places.some(
    (place) => path === place || `${dirname(path)}/*` === place || (place.endsWith('/') && path.startsWith(place)),
  )

function importsThat(files: SourceFile[], forbidden: (item: Import) => boolean): string[] {
  return files.flatMap(({ path, imports }) => imports.filter(forbidden).map(({ target }) => `${path} → ${target}`))
}

type Arrow = {
  layer: string
  /** Own code that it may import. */
  may: string[]
  /** Own code of which it may import types only. */
  types?: string[]
}

const ARROWS: Arrow[] = [
  {
    layer: 'routes/',
    may: [
      ...['routes/', 'src/schemas/', 'src/services/'],
      ...[
        'plugins/auth.ts',
        'plugins/limits.ts',
        'plugins/cors.ts',
        'plugins/http-caching.ts',
        'plugins/mcp.ts',
        'plugins/responses.ts',
        'plugins/uploads.ts',
        'plugins/websocket.ts',
      ],
    ],
  },
  {
    layer: 'jobs/',
    may: ['jobs/', 'src/services/', 'src/rules/operations/jobs.ts', 'src/runtime/concurrency/tasks.ts'],
    types: ['src/deps.ts', 'src/rules/'],
  },
  {
    layer: 'src/services/',
    may: [
      ...['src/services/', 'src/rules/', 'src/schemas/', 'src/runtime/', 'src/errors.ts'],
      // A lock lives on a connection of its own; what the database refused says something of the data.
      ...['db/queries/', 'db/tables/', 'db/locks.ts', 'db/errors.ts'],
    ],
    types: ['src/deps.ts', 'db/database.ts'],
  },
  {
    layer: 'src/clients/',
    may: ['src/clients/', 'src/rules/', 'src/errors.ts', 'src/runtime/tracing.ts'],
    types: ['src/config.ts'],
  },
  { layer: 'src/runtime/', may: ['src/runtime/', 'src/rules/', 'src/errors.ts', 'db/'] },
  { layer: 'src/schemas/', may: ['src/schemas/', 'src/rules/', 'src/errors.ts', 'db/tables/'] },
  { layer: 'src/rules/', may: ['src/rules/', 'src/errors.ts'] },
  { layer: 'db/queries/', may: ['db/queries/', 'db/tables/', 'db/*', 'src/rules/'] },
  { layer: 'db/tables/', may: ['db/tables/', 'src/rules/'] },
  { layer: 'db/migrations/', may: [] },
  { layer: 'db/', may: ['db/', 'src/rules/', 'src/runtime/tracing.ts'] },
  {
    layer: 'plugins/',
    may: [
      ...['plugins/', 'src/schemas/', 'src/rules/', 'src/errors.ts', 'db/queries/', 'db/errors.ts'],
      ...['src/runtime/request-context.ts', 'src/runtime/tracing.ts', 'src/runtime/cache/encoded-body.ts'],
    ],
    types: ['db/tables/'],
  },
  { layer: 'demo/', may: ['demo/'] },
]

function straysFrom({ layer, may, types = [] }: Arrow, files: SourceFile[]): string[] {
  const within = files.filter(({ path }) => path.startsWith(layer))
  return importsThat(
    within,
    (item) => isOurs(item) && !lies(item.target, may) && !(item.typeOnly && lies(item.target, types)),
  )
}

test.each(ARROWS)('$layer imports only allowed layers, types included', (arrow) => {
  expect(SHIPPED_CODE.filter(({ path }) => path.startsWith(arrow.layer))).not.toEqual([])
  expect(straysFrom(arrow, SHIPPED_CODE)).toEqual([])
})

test('there are no import cycles, types included', () => {
  const graph = SHIPPED_CODE.map(({ path, imports }): [string, string[]] => [path, imports.map(({ target }) => target)])
  expect(circlesIn(new Map(graph))).toEqual([])
})

test.each([
  ['src/rules/x.ts', "import type { Deps } from '../deps.ts'"],
  ['src/schemas/x.ts', "import { type Deps, x } from '../deps.ts'"],
  ['src/services/a/x.ts', "export type { Config } from '../../config.ts'"],
  ['src/services/a/x.ts', "import { openDatabase } from '../../../db/database.ts'"],
  ['db/queries/a/x.ts', "let x: import('../../migrate.ts').X | import('../../../src/errors.ts').Y"],
  ['db/migrations/x.ts', "import type { Tables } from '../database.ts'"],
])('%s: %s is rejected', (path, text) => {
  const strays = ARROWS.filter(({ layer }) => path.startsWith(layer)).flatMap((arrow) =>
    straysFrom(arrow, [withImports({ path, text })]),
  )
  expect(strays).not.toEqual([])
})

test('the product does not import demo, bench or test code', () => {
  // start.ts starts the demo supplier.
  const files = SERVICE_CODE.filter(({ path }) => path !== 'src/start.ts')
  expect(importsThat(files, ({ target }) => /^(demo|bench|test)\//.test(target))).toEqual([])
})

// db/embedded/ finds its package by require.resolve() alone: production images go without it.
test('production code imports no development dependency', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  )
  const nameOf = (target: string) => /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? ''
  const missing = importsThat(SHIPPED_CODE, (item) => {
    const isPackage = !/\.(ts|json)$/.test(item.target) && !item.target.startsWith('node:')
    return isPackage && !item.typeOnly && !Object.hasOwn(dependencies, nameOf(item.target))
  })
  expect(missing).toEqual([])
})

test("no product code imports node:http, which would also load Node's WebSocket client", () => {
  const found = importsThat(SERVICE_CODE, ({ target, typeOnly }) => target === 'node:http' && !typeOnly)
  expect(found).toEqual([])
})

test('rules are pure: no I/O, clock or randomness', () => {
  const files = SERVICE_CODE.filter(({ path }) => path.startsWith('src/rules/'))
  // isIP, isDeepStrictEqual, domainToASCII and crc32 only look at values, createRequire only puts off the loading of a library.
  const pure = ['node:module', 'node:net', 'node:url', 'node:util', 'node:zlib']
  const impure = importsThat(files, ({ target }) => target.startsWith('node:') && !pure.includes(target))
  const clocks = files.filter(({ text }) => /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bfetch\(/.test(text))
  expect([...impure, ...clocks.map(({ path }) => path)]).toEqual([])
})

test('only plugins, routes and app.ts import Fastify, others its types at most', () => {
  const outside = SERVICE_CODE.filter(({ path }) => !lies(path, ['plugins/', 'routes/', 'src/app.ts']))
  const isFastify = ({ target }: Import) => /^(fastify|fastify-plugin|@fastify\/.+)$/.test(target)
  expect(importsThat(outside, (item) => isFastify(item) && !item.typeOnly)).toEqual([])
})

test('only db/ builds and executes queries', () => {
  const outside = SERVICE_CODE.filter(({ path }) => !path.startsWith('db/'))
  const isQuerying = ({ target }: Import) => /^(kysely|pg|pg-cursor)(\/.*)?$/.test(target)
  // The change listener is a connection.
  const known = ['src/runtime/changes/listener.ts → pg']
  const found = importsThat(outside, (item) => isQuerying(item) && !item.typeOnly)
  expect(found.filter((line) => !known.includes(line))).toEqual([])
  // Not the beginning and the end of a transaction.
  const building = outside.filter(({ text }) =>
    /\.((selectFrom|insertInto|updateTable|deleteFrom|selectNoFrom|mergeInto)\(|(?<!(startTransaction|rollback)\(\)\.)execute(TakeFirst\w*)?\(\))/.test(
      text,
    ),
  )
  // The unit of work begins and ends transactions.
  expect(building.map(({ path }) => path).filter((path) => path !== 'src/runtime/write.ts')).toEqual([])
})

test("only clients/supplier knows the supplier's paths", () => {
  const knowing = SERVICE_CODE.filter(({ text }) =>
    /\b(ListCategories|ListBrands|ListProducts|CreateOrder)\b/.test(text),
  )
  expect(knowing.map(({ path }) => path)).toEqual(['src/clients/supplier/client.ts'])
})

test('only clients/mailer.ts sends mail', () => {
  const knowing = importsThat(SERVICE_CODE, ({ target }) => target === 'nodemailer')
  expect([...new Set(knowing)]).toEqual(['src/clients/mailer.ts → nodemailer'])
})

test('only src/config.ts reads the environment', () => {
  // native.ts passes only PATH on to PostgreSQL's programs.
  const allowed = ['src/config.ts', 'db/embedded/files.ts']
  const reading = SERVICE_CODE.filter(({ path, text }) => /\bprocess\.env\b/.test(text) && !allowed.includes(path))
  expect(reading.map(({ path }) => path)).toEqual([])
})

test('handlers have at most six lines', () => {
  const long = SERVICE_CODE.filter(({ path }) => path.startsWith('routes/')).flatMap(({ path, text }) => {
    const bodies = text.matchAll(/^( +)handler: async \([^\n]*=> \{\n(.*?)^\1\}/gms)
    return [...bodies].filter(([, , body = '']) => body.split('\n').length > 7).map(([whole]) => `${path}: ${whole}`)
  })
  expect(long).toEqual([])
})

test('no network request starts in a transaction', () => {
  const bodies = SERVICE_CODE.filter(({ path }) => path.startsWith('src/services/')).flatMap(({ path, text }) =>
    [...text.matchAll(/^( *)[^\n]*(?:async |function \w+)\(\s*tx\b[^{]*\{\n.*?^\1\}/gms)].map(([body]) => ({
      path,
      body,
    })),
  )
  expect(bodies.length).toBeGreaterThan(50)
  const requests = /\b((supplier|storefront|mailer|webhookSender|storage|supplierFeed)\.\w+\(|fetch\w*\()/
  expect(bodies.filter(({ body }) => requests.test(body))).toEqual([])
})

test('every error code is used', () => {
  const text = SERVICE_CODE.map((file) => file.text).join()
  expect(ERROR_CODES.filter((code) => !text.includes(`'${code}'`))).toEqual([])
})

test('no type checks are silenced', () => {
  const silenced = ALL_CODE.filter(
    ({ path, text }) =>
      path !== 'test/architecture.test.ts' &&
      /@ts-(ignore|expect-error|nocheck)|\bas (any|never|unknown as)\b/.test(text),
  )
  expect(silenced.map(({ path }) => path)).toEqual([])
})

test('file names are specific, and no file has more than 300 lines', () => {
  const vague = ALL_CODE.filter(({ path }) => /utils?|helpers?|manager/.test(basename(path)))
  const long = SERVICE_CODE.filter(({ text }) => text.split('\n').length > 301)
  expect([...vague, ...long].map(({ path }) => path)).toEqual([])
})

test('exports have names', () => {
  // Worker pools call the default export.
  const files = SERVICE_CODE.filter(({ path }) => !path.endsWith('-worker.ts'))
  const nameless = files.filter(({ text }) => /^export default\b/m.test(text))
  expect(nameless.map(({ path }) => path)).toEqual([])
})
