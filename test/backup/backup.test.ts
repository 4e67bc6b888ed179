import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, cp, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkArchive, createArchive, messagesOf, readArchive } from '../../src/backup/archive.ts'
import { backUp } from '../../src/backup/backup.ts'
import { restore } from '../../src/backup/restore.ts'
import { AppError } from '../../src/errors.ts'
import { loginAs } from '../support/accounts.ts'
import { filesOf, newPlace, queryAll, runScript } from '../support/backups.ts'
import { createProduct } from '../support/factories.ts'
import { type Image, newImage } from '../support/images.ts'
import { whileLocked } from '../support/locks.ts'
import { placeOrder } from '../support/orders.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let folder: string
let admin: string
let productId: number
const databaseUrl = () => shop.deps.config.databaseUrl
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  folder = await mkdtemp(join(tmpdir(), 'shop-backup-'))
  admin = await loginAs(shop, 'ADMIN')
  productId = await createProduct(shop.deps.db, { price: '10.00', stock: 1_000_000 })
})
afterAll(async () => {
  await shop.close()
  await rm(folder, { recursive: true, force: true })
})

async function upload(): Promise<Image> {
  const form = new FormData()
  form.append('file', new File([new Uint8Array(await newImage())], 'a.png'))
  return (await shop.call('POST', '/api/v1/images', { token: admin, form })).body as Image
}

const remove = ({ id }: Image) => shop.call('DELETE', `/api/v1/images/${id}`, { token: admin })

test('a backup of a busy shop is of one moment and has the files of its rows', async () => {
  const file = join(folder, 'busy.tar.zst')
  const place = await newPlace()
  const [kept, deleted] = [await upload(), await upload()]
  const order = () => placeOrder(shop, [{ productId, quantity: 2 }])
  await order()
  let isBusy = true
  const customers = (async () => {
    while (isBusy) await order()
  })()
  const { backup, added } = await whileLocked(
    shop.deps.db,
    // As a migration does, so that the snapshot comes after what happens here.
    (trx) => sql`lock table kysely_migration in row exclusive mode`.execute(trx),
    async () => {
      const started = backUp(shop.deps.config, databaseUrl(), file)
      await expect.poll(() => exists(`${file}.part`), { interval: 20 }).toBe(true)
      const added = await upload()
      await remove(deleted)
      return { backup: started, added }
    },
  )
  await backup.finally(() => {
    isBusy = false
  })
  await customers
  try {
    await restore(place.config, place.url, file)
    const images = await queryAll<{ id: number; key: string; sha256: string }>(
      place.url,
      'select id, storage_key as key, sha256 from images order by id',
    )
    expect(images.map(({ id }) => id)).toEqual([kept.id, added.id])
    const files = await filesOf(place.config.dataDir)
    for (const { key, sha256 } of images) {
      const bytes = Buffer.from(files.get(`${key}/original`) ?? '', 'base64')
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
    }
    // Orders, their items, their mails and what they reserve are written in one transaction each.
    const orders = await queryAll(
      place.url,
      `select (select count(*)::int from orders) = (select count(*)::int from order_items) as items,
        (select sum(quantity)::int from order_items) = 2 * (select count(*)::int from orders) as quantities`,
    )
    expect(orders).toEqual([{ items: true, quantities: true }])
  } finally {
    await place.remove()
  }
})

test('reads files before the rows that name them, which may be replaced meanwhile', async () => {
  await upload()
  const file = join(folder, 'order.tar.zst')
  await backUp(shop.deps.config, databaseUrl(), file)
  const entries: string[] = []
  await readArchive(file, async (name) => void entries.push(name.split('/')[0] ?? ''))
  expect(entries.lastIndexOf('files')).toBeLessThan(entries.indexOf('tables'))
})

test('contains every table of the database but unlogged ones, and only its owner may read it', async () => {
  await sql`create table added_later (id int primary key, note text)`.execute(shop.deps.db)
  await sql`insert into added_later values (1, E'a\tb\\\nc'), (2, null)`.execute(shop.deps.db)
  const file = join(folder, 'tables.tar.zst')
  await backUp(shop.deps.config, databaseUrl(), file)
  await sql`drop table added_later`.execute(shop.deps.db)
  const { tables } = await checkArchive(file)
  const existing = await queryAll<{ name: string }>(
    databaseUrl(),
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  const unlogged = ['rate_limits', 'sync_seen_products', 'xml_staged_categories', 'xml_staged_offers']
  const names = [...existing.map(({ name }) => name).filter((name) => !unlogged.includes(name)), 'added_later']
  expect(tables.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(tables.find(({ name }) => name === 'added_later')).toMatchObject({
    columns: ['id', 'note'],
    rows: 2,
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('refuses an existing file, and leaves nothing behind when it fails', async () => {
  const file = join(folder, 'existing.tar.zst')
  await writeFile(file, 'mine')
  await expect(backUp(shop.deps.config, databaseUrl(), file)).rejects.toThrow(/exists/)
  const nowhere = backUp(shop.deps.config, databaseUrl(), join(folder, 'none/a.tar.zst'))
  await expect(nowhere).rejects.toThrow(/a\.tar\.zst\.part can't be written \(ENOENT/)
  const place = await newPlace()
  const empty = backUp(shop.deps.config, place.url, join(folder, 'empty.tar.zst'))
  await expect(empty).rejects.toThrow(/no shop/)
  await place.remove()
  const unreachable = backUp(shop.deps.config, 'postgres://127.0.0.1:9/shop', join(folder, 'empty.tar.zst'))
  await expect(unreachable).rejects.toThrow(/ECONNREFUSED/)
  expect((await readdir(folder)).filter((name) => name.startsWith('e'))).toEqual(['existing.tar.zst'])
})

test('of two backups to one name at the same time, one is refused and the other whole', async () => {
  const file = join(folder, 'twice.tar.zst')
  const both = await Promise.allSettled(Array.from({ length: 2 }, () => backUp(shop.deps.config, databaseUrl(), file)))
  const refused = both.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  expect(refused).toEqual([expect.stringMatching(/twice\.tar\.zst\.part exists: another backup is writing it/)])
  expect((await checkArchive(file)).tables.length).toBeGreaterThan(0)
})

test('says why the file cannot be written', async () => {
  const archive = createArchive(createWriteStream(join(folder, 'none', 'a.tar.zst')))
  const adding = async () => {
    for (;;) {
      await archive.add('a', Buffer.from('a'))
      await new Promise(setImmediate)
    }
  }
  await expect(adding()).rejects.toThrow(/ENOENT/)
})

test('backs up and restores without the embedded server, which the image leaves out', async () => {
  const image = join(folder, 'image')
  for (const name of ['package.json', 'src', 'db'])
    await cp(name, join(image, name), { recursive: true, filter: (path) => path !== join('db', 'embedded') })
  await symlink(join(process.cwd(), 'node_modules'), join(image, 'node_modules'))
  const place = await newPlace()
  const file = join(folder, 'image.tar.zst')
  const { dataDir } = place.config
  expect((await runScript('backup', file, databaseUrl(), dataDir, image).ended).output).toContain('backup finished')
  expect((await runScript('restore', file, place.url, dataDir, image).ended).output).toContain('restore finished')
  await place.remove()
})

test('names the reason of a failure once', async () => {
  const notAFolder = join(folder, 'not-a-folder')
  await writeFile(notAFolder, '')
  const { output } = await runScript('backup', join(folder, 'never.tar.zst'), '', notAFolder).ended
  expect(output).toMatch(
    /^The backup failed: DATA_DIR \S+ is not writable \(EEXIST: [^()]+\): [^:]+, or set another folder\.\n$/,
  )
  // What clients must not see.
  const down = new AppError(503, 'UNAVAILABLE', 'The storage does not answer', { cause: new Error('ENOSPC') })
  expect(messagesOf(down)).toBe('The storage does not answer: ENOSPC')
})

test('a killed backup leaves a part that the next attempt names', async () => {
  const file = join(folder, 'killed.tar.zst')
  await whileLocked(
    shop.deps.db,
    (trx) => sql`lock table reviews in access exclusive mode`.execute(trx),
    async () => {
      const { child, ended } = runScript('backup', file, databaseUrl(), shop.deps.config.dataDir)
      await expect.poll(() => exists(`${file}.part`), { interval: 20, timeout: PROCESS_TIMEOUT_MS }).toBe(true)
      child.kill('SIGKILL')
      await ended
    },
  )
  expect(await exists(file)).toBe(false)
  await expect(backUp(shop.deps.config, databaseUrl(), file)).rejects.toThrow(/killed.tar.zst.part exists/)
  await rm(`${file}.part`)
  await backUp(shop.deps.config, databaseUrl(), file)
  await checkArchive(file)
})
