import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWriteCheck, WRITE_CHECK_FILE } from '../../src/runtime/write-check.ts'

let folder: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  folder = await mkdtemp(join(tmpdir(), 'write-check-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true, force: true })
})

test('leaves no file', async () => {
  await createWriteCheck(folder)()
  expect(await readdir(folder)).toEqual([])
})

test.runIf(existsSync('/dev/full'))('fails on a full disk, and checks again after five seconds', async () => {
  const check = createWriteCheck(folder)
  await symlink('/dev/full', join(folder, WRITE_CHECK_FILE))
  for (let n = 0; n < 2; n++) await expect(check()).rejects.toMatchObject({ code: 'ENOSPC' })
  vi.advanceTimersByTime(4999)
  await expect(check()).rejects.toMatchObject({ code: 'ENOSPC' })
  vi.advanceTimersByTime(1)
  await check()
  await rm(folder, { recursive: true })
  await check()
  vi.advanceTimersByTime(5000)
  await expect(check()).rejects.toMatchObject({ code: 'ENOENT' })
})
