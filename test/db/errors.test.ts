import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { databaseFault, violates } from '../../db/errors.ts'
import { listen } from '../support/loopback.ts'

const errorOf = (code: string, constraint?: string) =>
  Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, constraint })

test.each([
  ['23505', 'DUPLICATE'],
  ['23503', 'MISSING_REFERENCE'],
  ['22003', 'OUT_OF_RANGE'],
  ['23514', 'OUT_OF_RANGE'],
  ['55P03', 'LOCKED'],
  ['40P01', 'RETRYABLE'],
  ['40001', 'RETRYABLE'],
  ['57014', 'UNAVAILABLE'],
  ['57P01', 'UNAVAILABLE'],
  ['53300', 'UNAVAILABLE'],
  ['08006', 'UNAVAILABLE'],
  ['25006', 'UNAVAILABLE'],
  ['25P03', 'UNAVAILABLE'],
  ['25P04', 'UNAVAILABLE'],
  ['0A000', 'UNAVAILABLE'],
  ['28P01', 'UNAVAILABLE'],
  ['3D000', 'UNAVAILABLE'],
  ['42601', 'OTHER'],
  ['23502', 'OTHER'],
])('%s is %s', (code, fault) => {
  expect(databaseFault(errorOf(code))).toBe(fault)
})

test('classifies a missing response as UNAVAILABLE, and other errors as none', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const untrusted = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' })
  const noSocket = Object.assign(new Error('connect ENOENT /run/.s.PGSQL.5432'), { code: 'ENOENT' })
  for (const error of [refused, untrusted, noSocket, new Error('Query read timeout')])
    expect(databaseFault(error)).toBe('UNAVAILABLE')
  const elsewhere = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  for (const error of [elsewhere, new Error('23505'), '23505', null]) expect(databaseFault(error)).toBeNull()
})

test('classifies a connection that times out as UNAVAILABLE', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket))
  const port = await listen(silent)
  const client = new pg.Client({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 })
  const error = await client.connect().catch((reason: unknown) => reason)
  expect(databaseFault(error)).toBe('UNAVAILABLE')
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test('recognises the violated constraint', () => {
  expect(violates(errorOf('23505', 'users_email_key'), 'users_email_key')).toBe(true)
  expect(violates(errorOf('23505', 'users_pkey'), 'users_email_key')).toBe(false)
  expect(violates(errorOf('23503', 'reviews_product_id_fkey'), 'reviews_product_id_fkey')).toBe(true)
  expect(violates(errorOf('23P01', 'license_prices_no_overlap'), 'license_prices_no_overlap')).toBe(true)
  expect(violates(errorOf('23514', 'users_email_key'), 'users_email_key')).toBe(false)
})
