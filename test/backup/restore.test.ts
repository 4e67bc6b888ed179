import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { listMigrations, migrate, migrateWithin } from '../../db/migrate.ts'
import { checkArchive, createArchive, readArchive } from '../../src/backup/archive.ts'
import { backUp } from '../../src/backup/backup.ts'
import { restore } from '../../src/backup/restore.ts'
import { createStorage } from '../../src/clients/storage/configured.ts'
import { readConfig } from '../../src/config.ts'
import { loginAs } from '../support/accounts.ts'
import { filesOf, newPlace, type Place, queryAll, rowsOf, runScript } from '../support/backups.ts'
import { catalogOf } from '../support/catalog.ts'
import { createCategory, createProduct } from '../support/factories.ts'
import { newImage } from '../support/images.ts'
import { whileLocked } from '../support/locks.ts'
import { placeOrder } from '../support/orders.ts'
import { startS3Server } from '../support/s3-server.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { createDatabaseOf01 } from '../support/shop-of-01.ts'

let shop: TestShop
let folder: string
let file: string
/** Stays empty: refused and failed attempts leave it as it is. */
let empty: Place
let productId: number

beforeAll(async () => {
  shop = await startTestShop()
  folder = await mkdtemp(join(tmpdir(), 'shop-backup-'))
  file = join(folder, 'shop.tar.zst')
  empty = await newPlace()
  const { db } = shop.deps
  const admin = await loginAs(shop, 'ADMIN')
  // The parent has the higher id.
  const child = await createCategory(db)
  const parent = await createCategory(db, { name: 'Tabs\tlines\nand \\ "quotes" \u{1f600}' })
  await db.updateTable('categories').set({ parent_id: parent }).where('id', '=', child).execute()
  productId = await createProduct(db, { price: '10.00', stock: 100, categoryId: child, name: 'Ёлка' })
  await db
    .deleteFrom('products')
    .where('id', '=', await createProduct(db))
    .execute()
  for (let count = 0; count < 3; count++) {
    await placeOrder(shop, [{ productId, quantity: 1 }])
    const form = new FormData()
    form.append('file', new File([new Uint8Array(await newImage())], 'a.png'))
    await shop.call('POST', '/api/v1/images', { token: admin, form })
  }
  // Larger than what is buffered.
  await shop.deps.storage.put('large/one', Buffer.alloc(2_200_000, 'x'), { contentType: 'text/plain' })
  await backUp(shop.deps.config, shop.deps.config.databaseUrl, file)
})
afterAll(async () => {
  await shop.close()
  await empty.remove()
  await rm(folder, { recursive: true, force: true })
})

/** A restore that must fail and change nothing. */
async function refusal(path: string, place = empty): Promise<string> {
  const before = await relationsOf(place)
  const message = await restore(place.config, place.url, path).then(
    () => 'it was restored',
    (error: Error) => error.message,
  )
  expect(await relationsOf(place)).toEqual(before)
  return message
}

const relationsOf = ({ url }: Place) =>
  queryAll(url, `select relname from pg_class where relnamespace = 'public'::regnamespace order by 1`)

type Manifest = Awaited<ReturnType<typeof readArchive>>

/** Copies the archive with another manifest. */
async function withManifest(name: string, change: (manifest: Manifest) => Partial<Manifest>): Promise<string> {
  const copy = createArchive(createWriteStream(join(folder, name)))
  const manifest = await readArchive(file, async (entry, body) => copy.add(entry, await buffer(body)))
  await copy.finish({ ...manifest, ...change(manifest) })
  return join(folder, name)
}

test('a restored shop has the same rows, schema and files, and goes on from there', async () => {
  const place = await newPlace()
  const result = await restore(place.config, place.url, file)
  expect(result).toMatchObject({ files: 4, migrated: [] })
  expect(await rowsOf(place.url)).toEqual(await rowsOf(shop.deps.config.databaseUrl))
  expect(await catalogOf(place.url)).toEqual(await catalogOf(shop.deps.config.databaseUrl))
  expect(await sequencesOf(place.url)).toEqual(await sequencesOf(shop.deps.config.databaseUrl))
  expect(await filesOf(place.config.dataDir)).toEqual(await filesOf(shop.deps.config.dataDir))
  const restored = await startTestShop({}, { databaseUrl: place.url })
  try {
    const path = `/api/v1/products?sort=id`
    expect((await restored.call('GET', path)).body).toEqual((await shop.call('GET', path)).body)
    const [placed, there] = [
      await placeOrder(shop, [{ productId, quantity: 1 }]),
      await placeOrder(restored, [{ productId, quantity: 1 }]),
    ]
    expect(there.id).toBe(placed.id)
    expect(await createCategory(restored.deps.db)).toBe(await createCategory(shop.deps.db))
  } finally {
    await restored.close()
    await place.remove()
  }
})

test('refuses a database with anything in it', async () => {
  const place = await newPlace()
  await queryAll(place.url, 'create schema other create table notes (text text)')
  expect(await refusal(file, place)).toMatch(/not empty, it contains other\.notes/)
  expect(await readdir(place.config.dataDir)).toEqual([])
  await place.remove()
})

test('refuses archives that are damaged or truncated anywhere', async () => {
  const bytes = await readFile(file)
  const damaged = join(folder, 'damaged.tar.zst')
  const at = (part: number) => Math.floor(bytes.length * part)
  for (const length of [0, at(0.3), ...[100, 5, 4, 3, 2, 1].map((missing) => bytes.length - missing)]) {
    await writeFile(damaged, bytes.subarray(0, length))
    expect(await refusal(damaged), `the first ${length} bytes`).toMatch(/is damaged/)
  }
  for (const offset of [0, at(0.5)]) {
    await writeFile(damaged, bytes.with(offset, (bytes[offset] ?? 0) ^ 0xff))
    expect(await refusal(damaged), `byte ${offset} changed`).toMatch(/is damaged/)
  }
  // The decompressor doesn't notice every missing end.
  const tar = zstdDecompressSync(bytes)
  await writeFile(damaged, zstdCompressSync(tar.subarray(0, tar.lastIndexOf('manifest.json'))))
  expect(await refusal(damaged)).toMatch(/its end is missing/)
  expect(await refusal(join(folder, 'none'))).toMatch(/ENOENT/)
  expect(await readdir(empty.config.dataDir)).toEqual([])
})

test('refuses archives of another version', async () => {
  const newer = await withManifest('newer.tar.zst', ({ migrations }) => ({
    migrations: [...migrations, '2999-01-01T0000-newer'],
  }))
  expect(await refusal(newer)).toMatch(/2999-01-01T0000-newer/)
})

test('refuses archives that name what the shop has not, such as tables of the system', async () => {
  const roles = { name: 'pg_authid', columns: ['rolname', 'rolsuper'], rows: 1, digest: '0' }
  const table = await withManifest('table.tar.zst', ({ tables }) => ({ tables: [...tables, roles] }))
  expect(await refusal(table)).toMatch(/unknown table pg_authid/)
  const column = await withManifest('column.tar.zst', ({ tables: [first, ...others] }) => ({
    tables: first ? [{ ...first, columns: [...first.columns, 'ctid'] }, ...others] : [],
  }))
  expect(await refusal(column)).toMatch(/unknown columns of the table \w+: ctid/)
  const sequence = await withManifest('sequence.tar.zst', () => ({ sequences: [{ name: 'pg_catalog.x', value: '1' }] }))
  expect(await refusal(sequence)).toMatch(/unknown sequence pg_catalog\.x/)
})

test('reads archives of 0.1.0, which have no mark at their end', async () => {
  const path = await withManifest('unmarked.tar.zst', () => ({ format: 1 }))
  const bytes = await readFile(path)
  await writeFile(path, bytes.subarray(0, bytes.lastIndexOf('end!') - 8))
  expect(await checkArchive(path)).toMatchObject({ format: 1 })
})

test('refuses rows that differ from those that were counted', async () => {
  const path = join(folder, 'changed.tar.zst')
  const copy = createArchive(createWriteStream(path))
  const manifest = await readArchive(file, async (entry, body) => {
    if (!entry.startsWith('tables/order_items/')) await copy.add(entry, await buffer(body))
  })
  await copy.finish(manifest)
  expect(await refusal(path)).toMatch(/order_items/)
})

test('an archive of an older version is migrated to the present', async () => {
  const [source, place] = [await newPlace(), await newPlace()]
  const { db, close } = openDatabase(source.url, () => {})
  const names = await listMigrations()
  await db.transaction().execute((tx) => migrateWithin(tx, names.at(-2)))
  await sql`insert into deleted_products (external_id) values ('gone')`.execute(db)
  await close()
  const path = join(folder, 'older.tar.zst')
  await backUp(source.config, source.url, path)
  // An extension alone is nothing to lose.
  await queryAll(place.url, 'create extension pg_trgm')
  const { migrated } = await restore(place.config, place.url, path)
  expect(migrated).toEqual(names.slice(-1))
  expect(await queryAll(place.url, 'select external_id from deleted_products')).toEqual([{ external_id: 'gone' }])
  await source.remove()
  await place.remove()
})

test('an archive of 0.1.0 is upgraded as its database is', async () => {
  const [source, place] = [await createDatabaseOf01(), await newPlace()]
  const path = join(folder, '0.1.0.tar.zst')
  await backUp({ ...place.config, dataDir: join(folder, 'none') }, source.url, path)
  expect(await restore(place.config, place.url, path)).toMatchObject({ migrated: await listMigrations() })
  await migrate(source.url)
  expect(await catalogOf(place.url)).toEqual(await catalogOf(source.url))
  const waiting = 'select id from sync_runs where waits_for_acceptance'
  expect(await queryAll(place.url, waiting)).toHaveLength(1)
  // When each was upgraded.
  for (const url of [source.url, place.url]) {
    await queryAll(url, `update kysely_migration set timestamp = ''`)
    await queryAll(url, `update app_config set updated_at = '2026-11-28'`)
    for (const runs of ['sync_runs', 'xml_pipeline_runs'])
      await queryAll(url, `update ${runs} set heartbeat_at = started_at`)
  }
  expect(await rowsOf(place.url)).toEqual(await rowsOf(source.url))
  const feed = `insert into publications (kind, built_at, content_hash, entries, files) values ('feed', now(), '', 0, '[]')`
  expect(await queryAll(place.url, `${feed} returning id`)).toEqual([{ id: 7 }])
  await source.drop()
  await place.remove()
})

test('refuses an archive without the last migration of 0.1.0', async () => {
  const older = await withManifest('early.tar.zst', () => ({
    migrations: ['2026-11-21-foundation', '2026-11-21-selling'],
  }))
  expect(await refusal(older)).toMatch(/older than the last migration of 0\.1\.0, .*: restore it with the last 0\.1\.0/)
})

test('a killed restore leaves the database empty', async () => {
  const place = await newPlace()
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const { child, ended } = runScript('restore', fifo, place.url, place.config.dataDir)
  const bytes = await readFile(file)
  // The check reads all of it, and then the restore the first half.
  await writeFile(fifo, bytes)
  const writing = `select pid from pg_stat_activity where datname = current_database() and backend_xid is not null`
  const options = { interval: 50, timeout: PROCESS_TIMEOUT_MS }
  await expect.poll(() => queryAll(place.url, writing), options).toHaveLength(1)
  const half = await open(fifo, 'w')
  await half.write(bytes.subarray(0, Math.floor(bytes.length / 2)))
  child.kill('SIGKILL')
  await ended
  await half.close()
  await expect.poll(() => queryAll(place.url, writing), options).toEqual([])
  expect(await relationsOf(place)).toEqual([])
  await restore(place.config, place.url, file)
  await place.remove()
})

test('a restore whose last statement fails leaves the database empty', async () => {
  const place = await newPlace()
  const { db, close } = openDatabase(place.url, () => {})
  // Collecting statistics needs this lock; nothing before does.
  await whileLocked(
    db,
    (trx) => sql`lock table pg_description in share update exclusive mode`.execute(trx),
    async () => {
      const failed = expect(restore(place.config, place.url, file)).rejects.toThrow()
      const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      const options = { interval: 50, timeout: PROCESS_TIMEOUT_MS }
      await expect.poll(() => queryAll(place.url, `select pid ${waiting}`), options).toHaveLength(1)
      await queryAll(place.url, `select pg_terminate_backend(pid) ${waiting}`)
      await failed
    },
  )
  await close()
  expect(await relationsOf(place)).toEqual([])
  await place.remove()
})

test('lists the objects of a shop with S3, and names those that the bucket lacks at the restore', async () => {
  const server = await startS3Server()
  const place = await newPlace()
  const path = join(folder, 's3.tar.zst')
  const { s3 } = readConfig(server.variables)
  const storage = createStorage({ ...place.config, s3 })
  try {
    await storage.prepare()
    for (const key of ['there', 'lost']) await storage.put(key, Buffer.from('one'), { contentType: 'image/png' })
    await backUp({ ...place.config, s3 }, shop.deps.config.databaseUrl, path)
    const entries: string[] = []
    await readArchive(path, async (name) => void entries.push(name))
    expect(entries.filter((name) => !name.startsWith('tables/'))).toEqual(['objects/000001'])
    await storage.delete(['lost'])
    const restored = await restore({ ...place.config, s3 }, place.url, path)
    expect(restored).toMatchObject({ files: 0, missing: 1, missingObjects: ['lost'] })
    expect(await rowsOf(place.url)).toEqual(await rowsOf(shop.deps.config.databaseUrl))
  } finally {
    storage.close()
    await server.close()
    await place.remove()
  }
})

test('names the storage, not the database, when that cannot be reached', async () => {
  const s3 = { endpoint: 'http://127.0.0.1:9', region: 'eu', bucket: 'shop', accessKey: 'key', secretKey: 'secret' }
  await expect(restore({ ...empty.config, s3 }, empty.url, file)).rejects.toThrow(
    /^S3_ENDPOINT http:\/\/127\.0\.0\.1:9 can't be used with S3_BUCKET shop \(.*ECONNREFUSED/,
  )
})

/** What the next ids follow. */
const sequencesOf = (url: string) => queryAll(url, 'select sequencename, last_value from pg_sequences order by 1')
