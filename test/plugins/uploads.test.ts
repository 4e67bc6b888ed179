import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { seeded } from '../support/generated-requests.ts'
import { newImage } from '../support/images.ts'
import { openSocket } from '../support/raw-http.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const IMAGES = '/api/v1/images'
const TYPE = 'multipart/form-data; boundary=x'
let shop: TestShop
let token: string
let image: Buffer
beforeAll(async () => {
  shop = await startTestShop()
  token = await loginAs(shop, 'EDITOR')
  image = await newImage()
})
afterAll(() => shop.close())

async function send(body: Buffer | string | undefined, type: string | undefined = TYPE) {
  const answer = await fetch(shop.url + IMAGES, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...(type === '' ? {} : { 'content-type': type }) },
    ...(body === undefined
      ? {}
      : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : new TextEncoder().encode(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: JSON.parse(text), text }
}

const part = (disposition: string, content: Buffer | string, more = '') =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
const file = (content: Buffer | string = image, name = 'file') => part(`name="${name}"; filename="a.png"`, content)
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--x--\r\n')])

test('a form with one file, whatever else it contains', async () => {
  const odd = [
    part('name="title"', 'Дрель'),
    part('name="json"', '{"a":1}', 'Content-Type: application/json\r\n'),
    part('name="a"', '1'),
    part('name="a"', '2'),
    part('name=""', ''),
  ]
  for (const body of [form(file()), form(...odd, file()), form(file(), ...odd)]) {
    expect([200, 201]).toContain((await send(body)).status)
  }
})

const shape = (code: string) => ({
  error: expect.any(String),
  code,
  message: expect.any(String),
  requestId: expect.any(String),
})
const CASES: [string, () => Promise<{ status: number; body: object }>, number][] = [
  ['no file', () => send(form(part('name="a"', '1'))), 400],
  ['an empty form', () => send(form()), 400],
  ['nothing at all', () => send('', TYPE), 400],
  ['a file in another field', () => send(form(file(image, 'picture'))), 400],
  ['a field that is no file', () => send(form(part('name="file"', 'a'))), 400],
  ['two files', () => send(form(file(), file())), 400],
  ['a second file in another field', () => send(form(file(), file(image, 'other'))), 400],
  ['three files', () => send(form(file(), file(), file())), 400],
  ['no boundary', () => send(form(file()), 'multipart/form-data'), 400],
  ['another boundary', () => send(form(file()), 'multipart/form-data; boundary=y'), 400],
  [
    'a boundary of a thousand letters',
    () => send(form(file()), `multipart/form-data; boundary=${'y'.repeat(1000)}`),
    400,
  ],
  ['text', () => send('what?'), 400],
  ['a name of an object', () => send(form(part('name="__proto__"', '1'), file())), 400],
  ['a file with such a name', () => send(form(file(image, 'constructor'))), 400],
  [
    'a field that says to be JSON',
    () => send(form(part('name="a"', '{', 'Content-Type: application/json\r\n'), file())),
    400,
  ],
  ['a thousand fields', () => send(form(...Array.from({ length: 1000 }, () => part('name="a"', '1')), file())), 413],
  ['a file without a word of its name', () => send(form(part('filename="a.png"', image))), 400],
  ['JSON', () => send('{}', 'application/json'), 415],
  ['the bare image', () => send(image, 'image/png'), 415],
  ['a form of the other kind', () => send('file=a', 'application/x-www-form-urlencoded'), 415],
  ['no type', () => send(undefined, ''), 415],
]

test.each(CASES)('%s', async (_name, ask, status) => {
  const answer = await ask()
  const codes: Record<number, string> = {
    400: 'VALIDATION_FAILED',
    413: 'PAYLOAD_TOO_LARGE',
    415: 'UNSUPPORTED_MEDIA_TYPE',
  }
  expect([answer.status, answer.body]).toEqual([status, expect.objectContaining(shape(codes[status] ?? ''))])
})

test('headers of a part without number or end are left out', async () => {
  const named = 'name="file"; filename="a"'
  for (const more of ['X-A: b\r\n'.repeat(100_000), `X-A: ${'b'.repeat(1_000_000)}\r\n`]) {
    expect([200, 201]).toContain((await send(form(part(named, image, more)))).status)
  }
})

test('rejects a form truncated anywhere with 400', async () => {
  const whole = form(part('name="a"', '1'), file())
  for (let length = 1; length < whole.length - 4; length += 7) {
    const { status, text } = await send(whole.subarray(0, length))
    expect([length, status, text]).toEqual([length, 400, expect.any(String)])
  }
})

test('never responds 5xx to a form with invalid bytes', async () => {
  const random = seeded(7)
  const whole = form(part('name="a"', '1'), file(), part('name="b"', '{"a":1}', 'Content-Type: application/json\r\n'))
  for (let round = 0; round < 150; round += 1) {
    const spoilt = Buffer.from(whole)
    for (let byte = 0; byte < 3; byte += 1) spoilt[Math.floor(random() * spoilt.length)] = Math.floor(random() * 256)
    const { status, text } = await send(spoilt)
    expect([200, 201, 400, 413, 415], `${spoilt.toString('latin1')} → ${text}`).toContain(status)
  }
})

const head = (length: string) =>
  `POST ${IMAGES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${TYPE}\r\n${length}\r\n\r\n`

test('cleans up when a client disconnects during an upload', async () => {
  const body = form(file(Buffer.concat([image, Buffer.alloc(100_000)])))
  for (let round = 0; round < 12; round += 1) {
    const socket = await openSocket(shop.url)
    socket.write(head(`Content-Length: ${body.length}`))
    socket.write(body.subarray(0, 300 + round * 5000))
    await delay(5)
    socket.destroy()
    await once(socket, 'close')
  }
  const before = await shop.deps.db.selectFrom('images').select('id').execute()
  image = await newImage()
  expect((await send(form(file()))).status).toBe(201)
  expect(await shop.deps.db.selectFrom('images').select('id').execute()).toHaveLength(before.length + 1)
})

test('stops reading an endless form', async () => {
  for (const start of [
    '',
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n',
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
  ]) {
    const socket = await openSocket(shop.url)
    let answer = ''
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('error', () => {})
    socket.write(head('Transfer-Encoding: chunked'))
    if (start) socket.write(`${start.length.toString(16)}\r\n${start}\r\n`)
    const megabyte = `100000\r\n${'a'.repeat(0x100000)}\r\n`
    let sent = 0
    for (; sent < 80 && !socket.destroyed && answer === ''; sent += 1) {
      if (!socket.write(megabyte)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {})
    }
    expect(sent).toBeLessThan(40)
    socket.destroy()
  }
})
