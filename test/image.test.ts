import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf } from './support/imports.ts'

// What the Dockerfile puts into the image is enough to run in production, and not more.
const ROOT = join(import.meta.dirname, '..')
const readRootFile = (name: string): string => readFileSync(join(ROOT, name), 'utf8')
const DOCKERFILE = readRootFile('Dockerfile')
const [, SHOP = '', DEMO = ''] = /^FROM \S+ AS shop$(.*)^FROM shop AS demo$(.*)^FROM shop$/ms.exec(DOCKERFILE) ?? []
const { dependencies } = JSON.parse(readRootFile('package.json')) as { dependencies: Record<string, string> }

/** Loaded on a start without DATABASE_URL or SUPPLIER_BASE_URL, which production refuses. */
const NOT_IN_PRODUCTION = ['db/embedded/server.ts', 'demo/in-process.ts']

/** Files and folders that a stage copies from the context. */
const copied = (stage: string) =>
  [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '))

const IGNORE_LINES = readRootFile('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

const covers = (place: string, path: string) => place === '*' || path === place || path.startsWith(`${place}/`)

/** The last matching line of .dockerignore decides. */
const isIgnored = (path: string) =>
  IGNORE_LINES.findLast((line) => covers(line.replace('!', ''), path))?.startsWith('!') === false

const isIn = (stages: string[], path: string) =>
  stages.flatMap(copied).some((source) => covers(source, path)) && !isIgnored(path)

/** Own files and packages that are loaded, directly or not, from a file. */
function loadedFrom(start: string, except: string[]) {
  const files = new Set([start])
  const packages = new Set<string>()
  for (const path of files) {
    if (path.endsWith('.json')) continue
    for (const { target, typeOnly } of importsOf(path, readRootFile(path))) {
      if (typeOnly || isBuiltin(target) || except.includes(target)) continue
      if (/\.(ts|json)$/.test(target)) files.add(target)
      else packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target)
    }
  }
  return { files: [...files], packages: [...packages] }
}

test('contains every file and package that production loads', () => {
  const starts = ['src/server.ts', 'src/backup/backup.ts', 'src/backup/restore.ts']
  const loaded = starts.map((start) => loadedFrom(start, NOT_IN_PRODUCTION))
  const files = loaded.flatMap((one) => one.files)
  const packages = loaded.flatMap((one) => one.packages)
  expect(files.length).toBeGreaterThan(200)
  expect(files.filter((path) => !isIn([SHOP], path))).toEqual([])
  expect(packages.filter((name) => !Object.hasOwn(dependencies, name))).toEqual([])
})

test('of the demo supplier contains what that loads', () => {
  const { files } = loadedFrom('demo/server.ts', NOT_IN_PRODUCTION)
  expect(files.filter((path) => !isIn([SHOP, DEMO], path))).toEqual([])
})

test('contains neither embedded nor demonstration parts', () => {
  for (const path of [...NOT_IN_PRODUCTION, 'test/image.test.ts', '.env', '.git/config'])
    expect(isIn([SHOP], path), path).toBe(false)
  for (const path of [
    '.env',
    '.git/config',
    'node_modules/pg/package.json',
    '.data/jwt-secret',
    'db/embedded/server.ts',
  ])
    expect(isIgnored(path), path).toBe(true)
})

test('has the Node.js of the tests, exactly', () => {
  const tags = [...DOCKERFILE.matchAll(/^FROM (node:\S+)/gm)].map(([, tag]) => tag)
  expect(tags).toHaveLength(2)
  const { version } = JSON.parse(readRootFile('node_modules/node/package.json'))
  expect(new Set(tags)).toEqual(new Set([`node:${version}-alpine3.24`]))
  expect(version).toMatch(new RegExp(`^${readRootFile('.nvmrc').trim()}\\.`))
})

test('runs the server as an ordinary user, with the options of npm start and systemd', () => {
  expect(SHOP).toMatch(/^USER node$/m)
  expect(/^CMD .*$/m.exec(SHOP)?.[0]).toBe('CMD ["sh", "src/server.sh"]')
  expect(readRootFile('package.json')).toContain('"start": "exec sh src/server.sh"')
  expect(readRootFile('deploy/systemd/shop@.service')).toContain('ExecStart=/bin/sh src/server.sh')
})
