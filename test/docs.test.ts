import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { generateCatalogue } from '../demo/generate.ts'
import { type DemoSupplier, startDemoSupplier } from '../demo/supplier.ts'
import { numberedCatalogue } from './demo/client.ts'
import { createTestDatabase } from './support/database.ts'
import { PROCESS_TIMEOUT_MS, type ServingProcess, startServing } from './support/serving-process.ts'

// Every command of the README and of docs/ works as typed, in order, on a fresh shop.
const ROOT = join(import.meta.dirname, '..')
const PAGES = ['README.md', ...(await readdir(join(ROOT, 'docs'))).map((name) => `docs/${name}`)]
const texts = new Map(
  await Promise.all(PAGES.map(async (page) => [page, await readFile(join(ROOT, page), 'utf8')] as [string, string])),
)
const scripts: object = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).scripts

/** A fault of a curl's answer is one of the command; a reader that needs the beginning only is none. */
const PRELUDE = `
set -eEo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
curl() { command curl --silent --show-error --fail-with-body "$@" || [ $? = 23 ]; }
[ ! -e variables ] || . ./variables
`
const SAVE = 'declare -p | grep "TOKEN=" > variables || true'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: ServingProcess
let folder: string
/** Stands for the one that `npm run demo:supplier` starts. */
let supplier: DemoSupplier

/** Writes fewer products than the demo supplier has by itself. @returns the folder */
async function writeCatalogue(): Promise<string> {
  const { categories, brands, products } = generateCatalogue({ products: 40, seed: 1 })
  const lists = {
    categories: [...categories].map(({ id, parentId, name }) => ({
      externalId: id,
      parentExternalId: parentId,
      name,
    })),
    brands: [...brands].map(({ id, name }) => ({ externalId: id, name })),
    products: [...products].map(({ id, categoryId, brandId, ...product }) => ({
      ...product,
      externalId: id,
      categoryExternalId: categoryId,
      brandExternalId: brandId,
      stock: 100,
    })),
  }
  const place = join(folder, 'catalogue')
  await mkdir(place)
  for (const [name, rows] of Object.entries(lists)) {
    const text = rows.map((row) => JSON.stringify(row)).join('\n')
    await writeFile(join(place, `${name}.ndjson.gz`), gzipSync(text))
  }
  return place
}

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'shop-docs-'))
  // As with `npm start`, there are jobs, the demo supplier and a generated password in .data.
  const environment = {
    // A run of the schedule would answer 409 to one of the docs.
    SYNC_CRON: '0 0 0 1 1 *',
    SUPPLIER_BASE_URL: '',
    JOBS_ENABLED: 'true',
    GBSTORE_SCRAPING_DELAY_MS: '0',
    DATA_DIR: join(folder, '.data'),
    DEMO_CATALOGUE: await writeCatalogue(),
  }
  supplier = await startDemoSupplier({ catalogue: numberedCatalogue(1), token: 'demo-token', control: true })
  shop = await startServing(database.url, { environment })
  const firstImage = async () => {
    const answer = await fetch(`${shop.url}/api/v1/products/1`)
    return answer.ok && JSON.parse(await answer.text()).images.length
  }
  await vi.waitUntil(firstImage, { timeout: PROCESS_TIMEOUT_MS, interval: 100 })
}, PROCESS_TIMEOUT_MS)
afterAll(async () => {
  await shop?.remove()
  await supplier.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** The commands of a page; lines that continue are joined. */
function commandsOf(page: string): string[] {
  const blocks = [...(texts.get(page) ?? '').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  return blocks.flatMap((block) => block.replaceAll('\\\n', '').trim().split('\n'))
}

/** The shop and the supplier listen on other ports here. */
const addressed = (command: string) =>
  command
    .replaceAll(/(http:\/\/)?(127\.0\.0\.1|localhost):3000/g, shop.url)
    .replaceAll(/(http:\/\/)?localhost:4010/g, supplier.siteUrl.replace(/\/$/, ''))

const startsNpm = (command: string) => /^(\w+=\S+ )*npm /.test(command)

function hasTool(name: string): boolean {
  try {
    execFileSync('bash', ['-c', `command -v ${name}`])
    return true
  } catch {
    return false
  }
}

function runInBash(script: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stderr + stdout.slice(0, 2000) }),
    )
  })
}

describe.each(PAGES)('%s', (page) => {
  const commands = commandsOf(page)
  const own = commands.filter((command) => !startsNpm(command))
  const missing = ['bash', 'curl', 'xmllint'].filter(
    (tool) => (tool !== 'xmllint' || own.join().includes(tool)) && !hasTool(tool),
  )

  test('names npm scripts that exist', () => {
    const named = commands.flatMap((command) =>
      [...command.matchAll(/npm (?:run )?([\w:-]+)/g)].map(([, name = '']) => name),
    )
    expect(named.filter((name) => name !== 'ci' && !Object.hasOwn(scripts, name))).toEqual([])
  })

  const title = missing.length > 0 ? `, if there were ${missing.join(' and ')}` : ''
  test.skipIf(own.length === 0 || missing.length > 0)(`works as typed${title}`, async () => {
    const script = [PRELUDE, ...own.map(addressed), SAVE].join('\n')
    expect(await runInBash(script)).toEqual({ code: 0, output: expect.any(String) })
  })
})
