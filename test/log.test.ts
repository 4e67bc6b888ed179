import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { createLog } from '../src/log.ts'

/** What the log has of an error. */
function logged(err: unknown) {
  const lines: string[] = []
  createLog({}, { write: (line: string) => void lines.push(line) }).error({ err }, 'job failed')
  return JSON.parse(lines.join('')).err
}

test('an error of a database that is away has no stack', async () => {
  const { db, close } = openDatabase('postgres://127.0.0.1:9/none', () => {})
  const unreachable = await sql`select 1`.execute(db).catch((error: unknown) => error)
  await close()
  expect(logged(unreachable)).toEqual({ type: 'Error', code: 'ECONNREFUSED', message: expect.any(String), ...numbers })
  expect(logged(new TypeError('x is not a function'))).toHaveProperty('stack')
})

/** Node's fields of a refused connection. */
const numbers = { errno: expect.any(Number), syscall: 'connect', address: '127.0.0.1', port: 9 }
