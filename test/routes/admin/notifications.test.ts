import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { listen } from '../../support/loopback.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type SmtpFake, startSmtp } from '../../support/smtp.ts'

const PATH = '/api/v1/admin/notifications/email/test'
let smtp: SmtpFake
let shop: TestShop
let token: string

beforeAll(async () => {
  smtp = await startSmtp()
  shop = await startTestShop({ SMTP_URL: smtp.url, TRUST_PROXY: 'true' })
  token = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await shop.close()
  await smtp.close()
})

const ask = (body: unknown, address = '192.0.2.1') =>
  shop.call('POST', PATH, { token, body, headers: { 'x-forwarded-for': address } })

test('sends a test mail at once, bypassing the outbox', async () => {
  const answer = await ask({ to: ' Boss@Example.test ' })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ delivered: true, message: expect.stringContaining('queued as TEST') })
  expect(smtp.received[0]?.to).toEqual(['boss@example.test'])
  expect(smtp.received[0]?.headers.get('subject')).toBe('Shop: проверка почты')
  expect(smtp.received[0]?.body).toContain('проверочное письмо')
  expect(await shop.deps.db.selectFrom('mails').selectAll().execute()).toEqual([])
})

test('sends a mail to a Cyrillic domain by its DNS name', async () => {
  expect((await ask({ to: '\u200Fboss@почта.рф' })).body).toMatchObject({ delivered: true })
  expect(smtp.received.at(-1)?.headers.get('to')).toBe('boss@xn--80a1acny.xn--p1ai')
})

test('returns the reason of a refusal', async () => {
  smtp.behaviour = { refuseRecipient: '550 5.1.1 No such user' }
  const answer = await ask({ to: 'nobody@example.test' })
  smtp.behaviour = {}
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    delivered: false,
    message: expect.stringContaining('550 5.1.1 No such user'),
  })
})

test.each([
  undefined,
  {},
  { to: '' },
  { to: null },
  { to: 3 },
  { to: 'boss' },
  { to: 'анна@почта.рф' },
  { to: 'a@example.test,b@example.test' },
  { to: 'a@example.test\r\nBcc: b@example.test' },
  { to: 'Boss <boss@example.test>' },
  { to: `${'x'.repeat(250)}@example.test` },
  { to: 'a@example.test\u0000' },
])('rejects %j with 400', async (body) => {
  const before = smtp.attempts
  const answer = await ask(body, '192.0.2.2')
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED' })
  expect(smtp.attempts).toBe(before)
})

test('gives up on a silent server', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}))
  const other = await startTestShop({ SMTP_URL: `smtp://shop:secret@127.0.0.1:${await listen(silent)}` })
  const { timeout } = AbortSignal
  const shortened = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 50))
  const answer = await other.call('POST', PATH, {
    token: await loginAs(other, 'ADMIN'),
    body: { to: 'a@b.test' },
  })
  shortened.mockRestore()
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ delivered: false, message: 'No answer within 15 s' })
  expect(answer.text).not.toContain('secret')
  await other.close()
  silent.close()
})
