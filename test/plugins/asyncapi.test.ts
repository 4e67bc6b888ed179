import { Parser } from '@asyncapi/parser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT_MESSAGES, EVENTS } from '../../src/schemas/events.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

test('the AsyncAPI document of live events is valid and lists every message', async () => {
  const { status, headers, text } = await shop.call('GET', '/v3/api-docs/events')
  expect([status, headers.get('content-encoding')]).toEqual([200, 'gzip'])
  const { document, diagnostics } = await new Parser().parse(text)
  const isRelevant = ({ severity, code }: { severity: number; code: string | number }) =>
    // The shop doesn't know under which addresses it is reached.
    severity <= 1 && !['asyncapi-servers', 'asyncapi3-tags', 'asyncapi-id'].includes(String(code))
  expect(diagnostics.filter(isRelevant)).toEqual([])
  const names = document
    ?.allMessages()
    .all()
    .map((message) => message.id())
  expect(names?.toSorted()).toEqual(
    [...Object.keys(EVENTS), ...Object.keys(CLIENT_MESSAGES), 'Resync', 'Subscribed', 'Refused'].toSorted(),
  )
  expect(
    document
      ?.operations()
      .all()
      .map((operation) => operation.id()),
  ).toContain('product:{id}')
})
