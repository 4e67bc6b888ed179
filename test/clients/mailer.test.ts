import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { createMailer, type OutgoingMail } from '../../src/clients/mailer.ts'
import { listen } from '../support/loopback.ts'
import { readMail, type SmtpFake, startSmtp } from '../support/smtp.ts'

const open: { close(): unknown }[] = []

afterEach(async () => {
  for (let one = open.pop(); one !== undefined; one = open.pop()) await one.close()
})

const DEFAULTS = { signal: new AbortController().signal, timeoutMs: 60_000 }

function mailer(smtpUrl: string | undefined, dataDir = '/nowhere') {
  const made = createMailer({ mail: { smtpUrl, from: 'Магазин <shop@example.test>' }, dataDir })
  const send = (mail: OutgoingMail, options: Partial<typeof DEFAULTS> = {}) =>
    made.send(mail, { ...DEFAULTS, ...options })
  return { send }
}

async function server(options?: { password?: string }): Promise<SmtpFake> {
  const smtp = await startSmtp(options)
  open.push(smtp)
  return smtp
}

/** A server that answers line by line. @returns its port */
async function startLines(answer: (line: string) => string): Promise<number> {
  const listening = createServer((socket) => {
    socket.on('error', () => {}).write('220 localhost\r\n')
    createInterface(socket).on('line', (line) => socket.write(`${answer(line)}\r\n`))
  })
  const port = await listen(listening)
  open.push({ close: () => new Promise((resolve) => listening.close(resolve)) })
  return port
}

const mail: OutgoingMail = {
  recipient: 'boss@example.test',
  subject: 'Новое обращение № 12: Ёлкин, «Рога & копыта» — очень длинная тема, которая не влезает в одну строку',
  body: 'Имя: Ёлкин\n\nСообщение:\n.точка в начале строки\nFrom здесь\n100 % = всё\n',
  date: new Date('2026-11-21T10:00:00Z'),
  key: '1763719200000.12',
}

const normal = (text: string) => text.replaceAll('\r\n', '\n').trimEnd()

test('delivers a mail unchanged', async () => {
  const smtp = await server()
  const outcome = await mailer(smtp.url).send(mail)
  expect(outcome).toEqual({ delivered: true, message: expect.stringMatching(/^250 .*queued as TEST$/) })
  const [received] = smtp.received
  expect(received).toMatchObject({ from: 'shop@example.test', to: ['boss@example.test'] })
  expect(received?.body.trimEnd()).toBe(mail.body.trimEnd().replaceAll('\n', '\r\n'))
  const header = (name: string) => received?.headers.get(name)
  expect(header('subject')).toBe(mail.subject)
  expect(header('from')).toBe('Магазин <shop@example.test>')
  expect(header('to')).toBe('boss@example.test')
  expect(header('message-id')).toBe('<1763719200000.12@example.test>')
  expect(new Date(header('date') ?? '')).toEqual(mail.date)
  expect(header('auto-submitted')).toBe('auto-generated')
  expect(header('content-type')).toBe('text/plain; charset=utf-8')
})

test('prevents header and recipient injection', async () => {
  const smtp = await server()
  const { send } = mailer(smtp.url)
  await send({ ...mail, subject: 'One\r\nBcc: thief@example.test\r\n\r\nBody\u2028x' })
  expect(smtp.received[0]?.to).toEqual(['boss@example.test'])
  expect(smtp.received[0]?.headers.get('subject')).toBe('One Bcc: thief@example.test Body x')
  expect(smtp.received[0]?.headers.has('bcc')).toBe(false)

  for (const recipient of [
    'a@example.test, b@example.test',
    'a,b@example.test',
    'Boss <a@example.test>',
    'a@example.test\r\nRCPT TO:<b@example.test>',
    'a@example.test>',
    'boss',
    '',
  ]) {
    expect(await send({ ...mail, recipient })).toMatchObject({ delivered: false, failure: 'REFUSED' })
  }
  expect(smtp.received).toHaveLength(1)
})

test('writes the address of a setting as DNS and people who copied it mean it', async () => {
  const smtp = await server()
  await mailer(smtp.url).send({ ...mail, recipient: '\u200FBoss@Почта.рф' })
  expect(smtp.received[0]?.headers.get('to')).toBe('boss@xn--80a1acny.xn--p1ai')
})

test.each([
  ['REFUSED', { refuseRecipient: '550 5.1.1 No such user' }],
  ['REFUSED', { refuseContent: '554 5.6.0 No such content' }],
  ['DEFERRED', { refuseRecipient: '451 4.7.1 Greylisted' }],
  ['DEFERRED', { refuseContent: '452 4.2.2 Mailbox full' }],
  ['DEFERRED', { refuseRecipient: '550 5.7.1 Relaying denied' }],
  ['UNREACHABLE', { refuseSender: '550 5.1.8 Sender not known' }],
])('%s: %j', async (failure, behaviour) => {
  const smtp = await server()
  smtp.behaviour = behaviour
  const [words = ''] = Object.values(behaviour)
  const outcome = await mailer(smtp.url).send(mail)
  expect(outcome).toEqual({ delivered: false, failure, message: expect.stringContaining(words.slice(4)) })
})

test('reports an unreachable server and a wrong password as failures of all mails', async () => {
  expect(await mailer('smtp://127.0.0.1:9').send(mail)).toMatchObject({
    delivered: false,
    failure: 'UNREACHABLE',
  })
  expect(await mailer('smtp://no-such-host.invalid:25').send(mail)).toMatchObject({ failure: 'UNREACHABLE' })

  const smtp = await server({ password: 'right %&' })
  const right = smtp.url.replace('//', `//shop:${encodeURIComponent('right %&')}@`)
  expect(await mailer(right).send(mail)).toMatchObject({ delivered: true })
  const wrong = await mailer(smtp.url.replace('//', '//shop:top%20secret@')).send(mail)
  expect(wrong).toMatchObject({ delivered: false, failure: 'UNREACHABLE' })
  expect(wrong.message).toContain('No access for shop with ***')
  expect(wrong.message).not.toContain('secret')
})

test.each(['PLAIN', 'LOGIN'])('redacts a password that the server echoes after AUTH %s', async (method) => {
  const dialogue: [RegExp, (line: string) => string][] = [
    [/^EHLO/, () => `250-localhost\r\n250 AUTH ${method}`],
    [/^AUTH LOGIN$/, () => '334 VXNlcm5hbWU6'],
    [/^YWRtaW4=$/, () => '334 UGFzc3dvcmQ6'],
    [/./, (line) => `535 5.7.8 Not accepted: ${line}`],
  ]
  const port = await startLines((line) => dialogue.find(([heard]) => heard.test(line))?.[1](line) ?? '500')
  const { message } = await mailer(`smtp://admin:top%20secret@127.0.0.1:${port}`).send(mail)
  expect(message).toMatch(/Not accepted: .*\*\*\*/)
  for (const form of ['top secret', '\0admin\0top secret']) {
    expect(message).not.toContain(Buffer.from(form).toString('base64').replace(/=*$/, ''))
  }
})

test('times out on a silent server', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}))
  const outcome = await mailer(`smtp://127.0.0.1:${await listen(silent)}`).send(mail, { timeoutMs: 300 })
  silent.close()
  expect(outcome).toEqual({ delivered: false, failure: 'UNREACHABLE', message: 'No answer within 0.3 s' })

  const smtp = await server()
  const { send } = mailer(smtp.url)
  smtp.behaviour = { hang: true }
  expect(await send(mail, { timeoutMs: 300 })).toMatchObject({ delivered: false, failure: 'UNREACHABLE' })
  smtp.behaviour = {}
  expect(await send(mail)).toMatchObject({ delivered: true })
})

test('aborts a hanging send by its signal', async () => {
  const smtp = await server()
  smtp.behaviour = { hang: true }
  const stop = new AbortController()
  const hanging = mailer(smtp.url).send(mail, { signal: stop.signal })
  await expect.poll(() => smtp.attempts).toBe(1)
  stop.abort()
  expect(await hanging).toMatchObject({ delivered: false })
})

test('writes mails as complete files in order of sending without a server', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'shop-mail-'))
  open.push({ close: () => rm(dataDir, { recursive: true }) })
  const { send } = mailer(undefined, dataDir)
  for (let n = 1; n <= 12; n++) expect(await send({ ...mail, key: `key-${n}` })).toMatchObject({ delivered: true })
  const names = (await readdir(join(dataDir, 'mail'))).toSorted()
  expect(names).toHaveLength(12)
  expect(names.every((name) => /^\d{8}T\d{9}Z-\d{6}-[0-9a-f]{8}\.eml$/.test(name))).toBe(true)
  const sources = await Promise.all(names.map((name) => readFile(join(dataDir, 'mail', name), 'utf8')))
  const messages = await Promise.all(sources.map(readMail))
  expect(messages.map(({ headers }) => headers.get('message-id'))).toEqual(
    names.map((_name, index) => `<key-${index + 1}@example.test>`),
  )
  expect(messages[0]?.headers.get('subject')).toBe(mail.subject)
  expect(normal(messages[0]?.body ?? '')).toBe(normal(mail.body))
  // Lines end as RFC 5322 wants it and are short enough for any server.
  expect(sources[0]?.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(Math.max(...(sources[0] ?? '').split('\r\n').map((line) => line.length))).toBeLessThan(999)
})

test('reports a retryable failure if the folder is not writable', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'shop-mail-'))
  open.push({ close: () => rm(dataDir, { recursive: true }) })
  await writeFile(join(dataDir, 'mail'), 'in the way')
  expect(await mailer(undefined, dataDir).send(mail)).toMatchObject({
    delivered: false,
    failure: 'UNREACHABLE',
  })
})

test('loads the library again after a failure', async () => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'nodemailer') throw new Error('EMFILE: too many open files')
      return next(specifier, context)
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'mail-'))
  open.push({ close: () => rm(folder, { recursive: true }) }, { close: () => hooks.deregister() })
  const { send } = mailer(undefined, folder)
  expect(await send(mail)).toMatchObject({ delivered: false, failure: 'UNREACHABLE' })
  hooks.deregister()
  expect(await send(mail)).toMatchObject({ delivered: true })
})
