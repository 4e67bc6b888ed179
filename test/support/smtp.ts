import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import PostalMime, { decodeWords } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

type ReceivedMail = {
  from: string
  to: string[]
  /** By name in lower case, decoded. */
  headers: Map<string, string>
  body: string
  html: string
}

/** How the server treats the next mails; a rejection is its response, such as `550 No such user`. */
type SmtpBehaviour = {
  refuseSender?: string
  refuseRecipient?: string
  refuseContent?: string
  /** Accepts the content and doesn't respond until released. */
  hang?: boolean
  /** Delay before it accepts a mail. */
  delayMs?: number
}

export type SmtpFake = {
  port: number
  url: string
  received: ReceivedMail[]
  behaviour: SmtpBehaviour
  /** Number of MAIL FROM commands. */
  attempts: number
  /** Number of mails that wait since `hang`. */
  readonly hanging: number
  /** Rejects the mails that are waiting. */
  refuseHanging(answer: string): void
  close(): Promise<void>
}

/** Starts an SMTP server on loopback. @param password of the user `shop`; without one, no login is required */
export async function startSmtp({ password = '' } = {}): Promise<SmtpFake> {
  const hanging: ((error: Error | null) => void)[] = []
  const server = new SMTPServer({
    disabledCommands: password ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth(auth, _session, done) {
      if (auth.username === 'shop' && auth.password === password) return done(null, { user: 'shop' })
      // Some servers repeat the rejected address.
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
      const source = await text(stream).catch(() => null)
      if (source === null) return done(new Error('The mail was cut off'))
      if (hang) return void hanging.push(done)
      if (refuseContent) return done(refusal(refuseContent))
      await new Promise((resolve) => setTimeout(resolve, delayMs ?? 0))
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const to = envelope.rcptTo.map(({ address }) => address)
      fake.received.push({ from, to, ...(await readMail(source)) })
      done(null, 'queued as TEST')
    },
  })
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port')
  const fake: SmtpFake = {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    received: [],
    behaviour: {},
    attempts: 0,
    get hanging() {
      return hanging.length
    },
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

/** Parses a message. */
export async function readMail(source: string): Promise<{ headers: Map<string, string>; body: string; html: string }> {
  const { headers, text: body = '', html = '' } = await PostalMime.parse(source)
  return { headers: new Map(headers.map(({ key, value }) => [key, decodeWords(value)])), body, html }
}
