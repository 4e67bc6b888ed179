import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readOrCreateSecret } from '../../src/runtime/secrets.ts'

test('starts at the same time get the same secret, also with equal process ids, as in containers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'shop-secrets-'))
  for (let round = 0; round < 20; round++) {
    const name = `secret-${round}`
    const starts = Array.from({ length: 10 }, async (_, start) => {
      for (let turn = 0; turn < start; turn++) await nextTurn()
      return readOrCreateSecret(folder, name, randomUUID)
    })
    expect(new Set(await Promise.all(starts)).size).toBe(1)
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  }
  expect(await readdir(folder)).toHaveLength(20)
  await rm(folder, { recursive: true })
})
