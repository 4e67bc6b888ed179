import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

type ReceivedMail = {
  from: string
  to: string[]
  /** By name in lower case, decoded. */
  headers: Map<string, string>
  body: string
}

/** What the server does with the next mails; a refusal is what it answers, as `550 No such user`. */
type SmtpBehaviour = {
  refuseSender?: string
  refuseRecipient?: string
  refuseContent?: string
  /** Takes the content and doesn't answer, until it is told to. */
  hang?: boolean
  /** How long it thinks before it accepts. */
  delayMs?: number
}

export type SmtpFake = {
  port: number
  url: string
  received: ReceivedMail[]
  behaviour: SmtpBehaviour
  /** How often a sender was announced. */
  attempts: number
  /** Answers those that hang with a refusal. */
  refuseHanging(answer: string): void
  close(): Promise<void>
}

/** A real SMTP server on loopback. @param password of the user `shop`; without one nobody has to log in */
export async function startSmtp({ port = 0, password = '' } = {}): Promise<SmtpFake> {
  const hanging: ((error: Error | null) => void)[] = []
  const server = new SMTPServer({
    disabledCommands: password ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, _session, done) {
      if (auth.username === 'shop' && auth.password === password) return done(null, { user: 'shop' })
      // Some servers say what they didn't like.
      done(refusal(`535 5.7.8 No access for ${auth.username} with ${auth.password}`))
    },
    onMailFrom(_address, _session, done) {
      fake.attempts += 1
      done(refusal(fake.behaviour.refuseSender))
    },
    onRcptTo(_address, _session, done) {
      done(refusal(fake.behaviour.refuseRecipient))
    },
    async onData(stream, { envelope }, done) {
      const { hang, refuseContent, delayMs } = fake.behaviour
      const source = await text(stream)
      if (hang) return void hanging.push(done)
      if (refuseContent) return done(refusal(refuseContent))
      await new Promise((resolve) => setTimeout(resolve, delayMs ?? 0))
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      fake.received.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...readMail(source) })
      done(null, 'queued as TEST')
    },
  })
  server.on('error', () => {})
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port')
  const fake: SmtpFake = {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    received: [],
    behaviour: {},
    attempts: 0,
    refuseHanging: (answer) => {
      for (const done of hanging.splice(0)) done(refusal(answer))
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return fake
}

function refusal(answer: string | undefined): Error | null {
  const [, code, words] = /^(\d{3}) (.*)$/.exec(answer ?? '') ?? []
  return code === undefined ? null : Object.assign(new Error(words), { responseCode: Number(code) })
}

/** Reads a message of one part, as a mail program would show it. */
export function readMail(source: string): { headers: Map<string, string>; body: string } {
  const end = source.indexOf('\r\n\r\n')
  const lines = source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())]
    }),
  )
  const content = source.slice(end + 4)
  switch (headers.get('content-transfer-encoding')) {
    case 'base64':
      return { headers, body: Buffer.from(content, 'base64').toString() }
    case 'quoted-printable':
      return { headers, body: fromQuotedPrintable(content.replace(/=\r\n/g, '')) }
    default:
      return { headers, body: content }
  }
}

/** Encoded words of RFC 2047. */
function decodeWords(value: string): string {
  const joined = value.replace(/\?=\s+=\?/g, '?==?')
  return joined
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, encoding: string, content: string) =>
      encoding.toLowerCase() === 'b'
        ? Buffer.from(content, 'base64').toString('latin1')
        : Buffer.from(fromQuotedPrintable(content.replaceAll('_', ' '))).toString('latin1'),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString())
}

function fromQuotedPrintable(content: string): string {
  const bytes = content.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}
