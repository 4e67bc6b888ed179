import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import { expect, test } from 'vitest'
import { createSupplierClient } from '../../../src/clients/supplier/client.ts'
import { listen } from '../../support/loopback.ts'

test('loads the HTTP library again after a failure', async () => {
  const server = createServer((_request, response) => response.end('{"items": []}'))
  const port = await listen(server)
  const client = createSupplierClient({
    baseUrl: `http://127.0.0.1:${port}`,
    token: '',
    username: '',
    password: '',
    authType: 'TOKEN',
    requestDelayMs: 0,
    timeZone: 'UTC',
  })
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === './http.ts') throw new Error('EMFILE: too many open files')
      return next(specifier, context)
    },
  })
  try {
    const { signal } = new AbortController()
    await expect(client.brands(null, signal)).rejects.toThrow('EMFILE')
    // Nothing was sent: staff may still change the order.
    expect(await client.createOrder({}, signal)).toEqual({
      outcome: 'REFUSED',
      reason: 'Not sent: EMFILE: too many open files',
      answer: null,
    })
    hooks.deregister()
    expect(await client.brands(null, signal)).toMatchObject({ records: [] })
  } finally {
    hooks.deregister()
    server.close()
  }
})
