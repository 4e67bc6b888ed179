import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_CODES } from '../src/errors.ts'

// The arrows and house rules of the README, read from the import statements.
const ROOT = join(import.meta.dirname, '..')

type Import = { target: string; typeOnly: boolean }
type SourceFile = { path: string; text: string; imports: Import[] }

const SERVICE_CODE = ['src', 'routes', 'plugins', 'db', 'jobs'].flatMap(filesIn)
const ALL_CODE = [...SERVICE_CODE, ...['demo', 'bench', 'test'].flatMap(filesIn)]

function filesIn(folder: string): SourceFile[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => readSource(relative(ROOT, join(entry.parentPath, entry.name))))
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return { path, text, imports: importsOf(path, text) }
}

/** `from '…'`, `import '…'` and `import('…')`; a path of ours is given from the project's folder. */
function importsOf(path: string, text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\b([^'"`;]*?)\bfrom\s*['"]([^'"]+)['"]/gm)
  const bare = text.matchAll(/^import\s*()['"]([^'"]+)['"]|\bimport\(()['"]([^'"]+)['"]\)/gm)
  return [...statements, ...bare].map((match) => {
    const target = match[2] ?? match[4] ?? ''
    return {
      target: target.startsWith('.') ? join(dirname(path), target) : target,
      typeOnly: isTypeOnly(match[1] ?? ''),
    }
  })
}

/** `type { A }`, or braces in which every name is a type. */
function isTypeOnly(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true
  const names = /^\s*\{(.*)\}\s*$/s
    .exec(clause)?.[1]
    ?.split(',')
    .map((name) => name.trim())
  return names?.filter(Boolean).every((name) => name.startsWith('type ')) ?? false
}

const isOurs = ({ target }: Import) => target.endsWith('.ts')
const lies = (path: string, places: string[]) =>
  places.some((place) => path === place || (place.endsWith('/') && path.startsWith(place)))

function importsThat(files: SourceFile[], forbidden: (item: Import) => boolean): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter(forbidden).map(({ target }) => `${path} → ${target}`),
  )
}

/** Which code of ours a layer may use at run time; types may come from anywhere but where `types` forbids it. */
const ARROWS: { layer: string; may: string[]; types?: 'too' }[] = [
  {
    layer: 'routes/',
    may: [
      'routes/',
      'src/schemas/',
      'src/services/',
      'src/rules/',
      'plugins/auth.ts',
      'plugins/rate-limit.ts',
    ],
  },
  { layer: 'jobs/', may: ['jobs/', 'src/services/'] },
  {
    layer: 'src/services/',
    may: [
      ...['src/services/', 'src/rules/', 'src/schemas/', 'db/queries/', 'db/tables/'],
      ...['src/errors.ts', 'src/runtime/', 'src/config.ts'],
      // A lock lives on a connection of its own; what the database refused says something of the data.
      ...['db/held-locks.ts', 'db/errors.ts'],
    ],
  },
  { layer: 'src/schemas/', may: ['src/schemas/', 'src/rules/', 'src/errors.ts', 'db/tables/'], types: 'too' },
  { layer: 'src/rules/', may: ['src/rules/', 'src/errors.ts'], types: 'too' },
  { layer: 'db/queries/', may: ['db/queries/', 'db/tables/', 'src/rules/', 'db/locks.ts', 'db/paging.ts'] },
  { layer: 'db/tables/', may: ['db/tables/'] },
  { layer: 'db/migrations/', may: [], types: 'too' },
  { layer: 'plugins/', may: ['plugins/', 'src/', 'db/queries/', 'db/errors.ts'] },
]

test.each(ARROWS)('$layer uses only what it may', ({ layer, may, types }) => {
  const files = SERVICE_CODE.filter(({ path }) => path.startsWith(layer))
  expect(files).not.toEqual([])
  const strays = importsThat(
    files,
    (item) => isOurs(item) && (types === 'too' || !item.typeOnly) && !lies(item.target, may),
  )
  expect(strays).toEqual([])
})

test('the product does not import what only demonstrates, measures or tests it', () => {
  const files = SERVICE_CODE.filter(({ path }) => path !== 'src/start.ts')
  expect(importsThat(files, ({ target }) => /^(demo|bench|test)\//.test(target))).toEqual([])
})

test('what runs in production is a dependency, not one for development only', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  )
  const nameOf = (target: string) => /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? ''
  const missing = importsThat([...SERVICE_CODE, ...filesIn('demo')], (item) => {
    const isPackage = !isOurs(item) && !item.target.startsWith('node:')
    return isPackage && !item.typeOnly && !Object.hasOwn(dependencies, nameOf(item.target))
  })
  expect(missing).toEqual([])
})

test('rules are pure: no input or output, no clock, no chance', () => {
  const files = SERVICE_CODE.filter(({ path }) => path.startsWith('src/rules/'))
  // isIP and the like only look at text.
  const impure = importsThat(files, ({ target }) => target.startsWith('node:') && target !== 'node:net')
  const clocks = files.filter(({ text }) =>
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bfetch\(/.test(text),
  )
  expect([...impure, ...clocks.map(({ path }) => path)]).toEqual([])
})

test('only plugins, routes and the wiring know Fastify; the others know its types at most', () => {
  const outside = SERVICE_CODE.filter(({ path }) => !lies(path, ['plugins/', 'routes/', 'src/app.ts']))
  const isFastify = ({ target }: Import) => /^(fastify|fastify-plugin|@fastify\/.+)$/.test(target)
  expect(importsThat(outside, (item) => isFastify(item) && !item.typeOnly)).toEqual([])
})

test('only db/ builds queries and talks to PostgreSQL', () => {
  const outside = SERVICE_CODE.filter(({ path }) => !path.startsWith('db/'))
  const isQuerying = ({ target }: Import) => /^(kysely|pg|pg-cursor)(\/.*)?$/.test(target)
  // The cache listener is a connection.
  const known = ['src/runtime/cache-listener.ts → pg']
  const found = importsThat(outside, (item) => isQuerying(item) && !item.typeOnly)
  expect(found.filter((line) => !known.includes(line))).toEqual([])
  const building = outside.filter(({ text }) =>
    /\.((selectFrom|insertInto|updateTable|deleteFrom|selectNoFrom|mergeInto)\(|execute(TakeFirst\w*)?\(\))/.test(
      text,
    ),
  )
  expect(building.map(({ path }) => path)).toEqual([])
})

test('query functions say by name what they return', () => {
  const files = SERVICE_CODE.filter(({ path }) => path.startsWith('db/queries/'))
  const functions = files.flatMap(({ text }) => [
    ...text.matchAll(/^export (?:async )?function (\w+).*?\)(:.*?)? \{$/gms),
  ])
  expect(functions.length).toBeGreaterThan(50)
  expect(functions.filter(([, , type]) => type === undefined).map(([, name]) => name)).toEqual([])
})

test("only clients/supplier knows the supplier's paths", () => {
  const knowing = SERVICE_CODE.filter(({ text }) =>
    /\b(ListCategories|ListBrands|ListProducts|CreateOrder)\b/.test(text),
  )
  expect(knowing.map(({ path }) => path)).toEqual(['src/clients/supplier/client.ts'])
})

test('only clients/mailer.ts knows how mail is sent', () => {
  const knowing = importsThat(SERVICE_CODE, ({ target }) => target === 'nodemailer')
  expect(knowing).toEqual(['src/clients/mailer.ts → nodemailer'])
})

test('only src/config.ts reads the environment', () => {
  // The database server's own programs are handed the search path and nothing else.
  const allowed = ['src/config.ts', 'db/embedded/native.ts']
  const reading = SERVICE_CODE.filter(
    ({ path, text }) => /\bprocess\.env\b/.test(text) && !allowed.includes(path),
  )
  expect(reading.map(({ path }) => path)).toEqual([])
})

test('handlers are at most six lines: input, one service call, reply', () => {
  const long = SERVICE_CODE.filter(({ path }) => path.startsWith('routes/')).flatMap(({ path, text }) => {
    const bodies = text.matchAll(/^( +)(?:handler: )?async \(_?request\b[^\n]*=> \{\n(.*?)^\1\}/gms)
    return [...bodies]
      .filter(([, , body = '']) => body.split('\n').length > 7)
      .map(([whole]) => `${path}: ${whole}`)
  })
  expect(long).toEqual([])
})

test('every code of an error is used somewhere', () => {
  const text = SERVICE_CODE.map((file) => file.text).join()
  expect(ERROR_CODES.filter((code) => text.split(`'${code}'`).length < 3)).toEqual([])
})

test('no type checks are silenced', () => {
  const silenced = ALL_CODE.filter(
    ({ path, text }) =>
      path !== 'test/architecture.test.ts' &&
      /@ts-(ignore|expect-error|nocheck)|\bas (any|never|unknown as)\b/.test(text),
  )
  expect(silenced.map(({ path }) => path)).toEqual([])
})

test('files are named in kebab-case after what they hold, and can be read at a sitting', () => {
  const names = ALL_CODE.filter(({ path }) => !/^[a-z0-9-]+(\.test)?\.ts$/.test(basename(path)))
  const vague = ALL_CODE.filter(({ path }) => /utils?|helpers?|manager/.test(basename(path)))
  const long = SERVICE_CODE.filter(
    ({ path, text }) => !path.startsWith('db/migrations/') && text.split('\n').length > 301,
  )
  expect([...names, ...vague, ...long].map(({ path }) => path)).toEqual([])
})

test('exports have names', () => {
  // A worker's file is called by its pool, which takes the default export.
  const files = SERVICE_CODE.filter(({ path }) => !path.endsWith('-worker.ts'))
  const nameless = files.filter(({ text }) => /^export default\b/m.test(text))
  expect(nameless.map(({ path }) => path)).toEqual([])
})

test('the reader of imports sees every form', () => {
  const text = [
    "import { a } from './a.ts'",
    "import type { B } from '../b.ts'",
    "import {\n  type C,\n  type D,\n} from './c.ts'",
    "import { type E, f } from './e.ts'",
    "import * as g from 'g'",
    "import h, { type I } from 'h'",
    "import './j.ts'",
    "export { k } from './k.ts'",
    "export type { L } from './l.ts'",
    "const m = await import('./m.ts')",
  ].join('\n')
  const seen = importsOf('src/x/y.ts', text).map(({ target, typeOnly }) =>
    typeOnly ? `type ${target}` : target,
  )
  expect(seen.toSorted()).toEqual(
    [
      ...['src/x/a.ts', 'src/x/e.ts', 'g', 'h', 'src/x/j.ts', 'src/x/k.ts', 'src/x/m.ts'],
      ...['type src/b.ts', 'type src/x/c.ts', 'type src/x/l.ts'],
    ].toSorted(),
  )
})
