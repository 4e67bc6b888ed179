import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStorage } from '../../../src/clients/storage/configured.ts'
import { readConfig } from '../../../src/config.ts'
import { startS3Server } from '../../support/s3-server.ts'

let dataDir: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  dataDir = await mkdtemp(join(tmpdir(), 'shop-objects-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(dataDir, { recursive: true, force: true })
})

test('a check fails while nothing can be written, and is repeated after five seconds', async () => {
  const storage = createStorage({ s3: undefined, dataDir })
  const inTheWay = join(dataDir, 'objects', '.half-written')
  await mkdir(join(dataDir, 'objects'))
  await writeFile(inTheWay, '')
  for (let n = 0; n < 2; n++) await expect(storage.check()).rejects.toMatchObject({ code: 'EEXIST' })
  await rm(inTheWay)
  vi.advanceTimersByTime(4999)
  await expect(storage.check()).rejects.toMatchObject({ code: 'EEXIST' })
  vi.advanceTimersByTime(1)
  await storage.check()
})

test('a check of S3 writes to the bucket', async () => {
  const server = await startS3Server()
  const storage = createStorage({ s3: readConfig(server.variables).s3, dataDir })
  await expect(storage.check()).rejects.toMatchObject({ code: 'NoSuchBucket' })
  await storage.prepare()
  vi.advanceTimersByTime(5000)
  await storage.check()
  await server.close()
  vi.advanceTimersByTime(5000)
  await expect(storage.check()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  storage.close()
})
