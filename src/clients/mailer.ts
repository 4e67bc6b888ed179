import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { NodemailerError, SendMailOptions } from 'nodemailer'
import type { Config } from '../config.ts'
import { normalEmail } from '../rules/accounts/credentials.ts'
import { oneLine } from '../rules/text.ts'

export type OutgoingMail = {
  /** One address. */
  recipient: string
  subject: string
  body: string
  date: Date
  /** The same in every attempt; the Message-ID is made of it, so that a receiver knows a repeat. */
  key: string
}

/**
 * REFUSED: the server will never take this mail. DEFERRED: not now. UNREACHABLE: nothing to do with this mail, others
 * would fare the same. CLOSED: this process stops.
 */
type MailFailure = 'REFUSED' | 'DEFERRED' | 'UNREACHABLE' | 'CLOSED'

/** `message` is what the server said, without secrets and at most 500 characters long. */
type MailOutcome =
  | { delivered: true; message: string }
  | { delivered: false; message: string; failure: MailFailure }

/** What breaks a sending off: a stop of the service, or the time that it may take at most. */
type SendLimits = { signal?: AbortSignal; limitMs?: number }

export type Mailer = {
  /** Hands one mail over and never throws. */
  send(mail: OutgoingMail, limits?: SendLimits): Promise<MailOutcome>
  close(): void
}

type Nodemailer = typeof import('nodemailer')

type Transport = {
  /** @returns what the server answered */
  send(message: SendMailOptions, signal: AbortSignal): Promise<string>
  close(): void
}

const STEP_MS = 10_000
/** Servers look at a mail's content before they answer. */
const SILENCE_MS = 20_000
const SEND_TIMEOUT_MS = 60_000

/** Mail over SMTP, or as files in DATA_DIR/mail when there is no SMTP_URL (contract section 2). */
export function createMailer({ mail, dataDir }: Pick<Config, 'mail' | 'dataDir'>): Mailer {
  let made: Promise<Transport> | undefined
  // Loaded with the first mail: it is large, and a start needs none of it.
  const transport = () => {
    made ??= import('nodemailer').then((nodemailer) =>
      mail.smtpUrl
        ? smtpTransport(nodemailer, mail.smtpUrl)
        : fileTransport(nodemailer, join(dataDir, 'mail')),
    )
    return made
  }
  const domain = /@([^\s>]+)/.exec(mail.from)?.[1] ?? 'localhost'
  const secrets = secretsOf(mail.smtpUrl)

  async function send(
    { recipient, subject, body, date, key }: OutgoingMail,
    { signal, limitMs = SEND_TIMEOUT_MS }: SendLimits = {},
  ): Promise<MailOutcome> {
    if (normalEmail(recipient) === null) {
      return { delivered: false, failure: 'REFUSED', message: 'The recipient is not an email address' }
    }
    const message = {
      from: mail.from,
      // As an object, so that nothing in it is read as a list of addresses.
      to: { name: '', address: recipient },
      subject: oneLine(subject),
      text: body.replace(/\r\n?|\n/g, '\r\n'),
      date,
      messageId: `<${key}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
    const timeout = AbortSignal.timeout(limitMs)
    try {
      const { send } = await transport()
      const answer = await send(message, AbortSignal.any(signal ? [signal, timeout] : [timeout]))
      return { delivered: true, message: presentable(answer, secrets) }
    } catch (error) {
      if (signal?.aborted) return { delivered: false, failure: 'CLOSED', message: 'Broken off' }
      const cause = error instanceof Error ? error.message : String(error)
      const reason = timeout.aborted ? `No answer within ${limitMs / 1000} s` : cause
      return { delivered: false, failure: failureOf(error), message: presentable(reason, secrets) }
    }
  }

  return { send, close: () => void made?.then(({ close }) => close()) }
}

/** @param url smtp(s)://user:password@host:port; its query may set further options of nodemailer */
function smtpTransport({ createTransport }: Nodemailer, url: string): Transport {
  const transporter = createTransport({
    url,
    pool: true,
    // A connection that the server had closed meanwhile is worth one more try, at once.
    maxRequeues: 1,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (message, signal) => (await transporter.sendMail({ ...message, signal })).response ?? '',
    close: () => transporter.close(),
  }
}

/** Each mail is a file, whole or not there; sorted by name they are in order of sending. */
function fileTransport({ createTransport }: Nodemailer, folder: string): Transport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  let count = 0
  return {
    async send(message) {
      const composed = await composer.sendMail(message)
      await mkdir(folder, { recursive: true })
      count += 1
      const stamp = new Date().toISOString().replace(/[-:.]/g, '')
      const name = `${stamp}-${String(count).padStart(6, '0')}-${randomUUID().slice(0, 8)}.eml`
      await writeWhole(folder, name, composed.message)
      return `Written to mail/${name} in DATA_DIR: SMTP_URL is not set`
    },
    close() {},
  }
}

async function writeWhole(folder: string, name: string, content: Buffer | Readable): Promise<void> {
  const temporary = join(folder, `.${name}.part`)
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600, flush: true })
    await rename(temporary, join(folder, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * Only what the server says of this recipient or this content is about the mail. A refused login or sender is a
 * matter of configuration, and so are the policies of 5.7.x (relaying, reputation): nothing is lost because of them.
 */
function failureOf(error: unknown): MailFailure {
  const { command, permanent, response }: NodemailerError = error instanceof Error ? error : new Error()
  if (permanent === undefined || (command !== 'RCPT TO' && command !== 'DATA')) return 'UNREACHABLE'
  return permanent && !/^\d{3}[ -]5\.7\./.test(response ?? '') ? 'REFUSED' : 'DEFERRED'
}

/** Some servers repeat what they were sent, a password included. */
function presentable(text: string, secrets: string[]): string {
  return oneLine(secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)).slice(0, 500)
}

/** The password of the address, in the forms in which it goes over the wire. */
function secretsOf(smtpUrl: string | undefined): string[] {
  const { username, password } = new URL(smtpUrl ?? 'smtp://none')
  if (password === '') return []
  const [user, plain] = [decoded(username), decoded(password)]
  return [base64(`\0${user}\0${plain}`), base64(plain), password, plain]
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
