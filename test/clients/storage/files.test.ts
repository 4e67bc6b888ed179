import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CHECK_FILE, createFileStorage } from '../../../src/clients/storage/files.ts'

let folder: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  folder = await mkdtemp(join(tmpdir(), 'shop-objects-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true, force: true })
})

test('a check leaves no file', async () => {
  await createFileStorage(folder).check()
  expect(await readdir(join(folder, dirname(CHECK_FILE)))).toEqual([])
})

test.runIf(existsSync('/dev/full'))('a check fails on a full disk, and is repeated after five seconds', async () => {
  const storage = createFileStorage(folder)
  await storage.prepare()
  await symlink('/dev/full', join(folder, CHECK_FILE))
  for (let n = 0; n < 2; n++) await expect(storage.check()).rejects.toMatchObject({ code: 'ENOSPC' })
  vi.advanceTimersByTime(4999)
  await expect(storage.check()).rejects.toMatchObject({ code: 'ENOSPC' })
  vi.advanceTimersByTime(1)
  await storage.check()
})
