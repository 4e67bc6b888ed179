import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodemailerError, SendMailOptions, Transporter } from 'nodemailer'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import { normalEmail } from '../rules/accounts/credentials.ts'
import { oneLine } from '../rules/text.ts'
import { createRedactor, splitAddress } from './secrets.ts'

export type OutgoingMail = {
  recipient: string
  subject: string
  body: string
  html?: string | null
  date: Date
  /** Becomes the Message-ID, by which receivers recognise repeated deliveries. */
  key: string
}

/** REFUSED: permanently. DEFERRED: temporarily. UNREACHABLE: not specific to this mail, so others would fail too. */
type MailFailure = 'REFUSED' | 'DEFERRED' | 'UNREACHABLE'

/** `message` is the server's answer, without secrets, at most 500 characters. */
type MailOutcome = { delivered: true; message: string } | { delivered: false; message: string; failure: MailFailure }

/** Sends mail over SMTP, or writes files to DATA_DIR/mail without SMTP_URL (docs/mails.md). */
export function createMailer({ mail, dataDir }: Pick<Config, 'mail' | 'dataDir'>) {
  let smtp: Transporter | undefined
  let written = 0

  /** @returns the server's answer */
  async function deliver(message: SendMailOptions, signal: AbortSignal): Promise<string> {
    // Loaded with the first mail, as it would slow down the start.
    const { createTransport } = await import('nodemailer')
    if (mail.smtpUrl !== undefined) {
      // The query of the URL may set further options.
      smtp ??= createTransport({ url: mail.smtpUrl, disableFileAccess: true, disableUrlAccess: true })
      return (await smtp.sendMail({ ...message, signal })).response ?? ''
    }
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    const composed = await composer.sendMail(message)
    const folder = join(dataDir, 'mail')
    await mkdir(folder, { recursive: true })
    written += 1
    // Names sort by time.
    const stamp = new Date().toISOString().replace(/[-:.]/g, '')
    const name = `${stamp}-${String(written).padStart(6, '0')}-${randomUUID().slice(0, 8)}.eml`
    await writeFile(join(folder, name), composed.message, { flag: 'wx', mode: 0o600, flush: true })
    return `Written to mail/${name} in DATA_DIR: SMTP_URL is not set`
  }

  const domain = /@([^\s>]+)/.exec(mail.from)?.[1] ?? 'localhost'
  const redact = createRedactor(secretsOf(mail.smtpUrl))
  // Some servers echo what they received.
  const storable = (text: string) => oneLine(redact(text)).slice(0, 500)

  /** Sends a mail; never throws. */
  async function send(
    { recipient, subject, body, html, date, key }: OutgoingMail,
    { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  ): Promise<MailOutcome> {
    const address = normalEmail(recipient)
    if (address === null) {
      return { delivered: false, failure: 'REFUSED', message: 'The recipient is not an email address' }
    }
    const message = {
      from: mail.from,
      // An object, as a string would be parsed as a list of addresses.
      to: { name: '', address },
      subject: oneLine(subject),
      text: body.replaceAll('\n', '\r\n'),
      html: html?.replaceAll('\n', '\r\n'),
      date,
      messageId: `<${key}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await deliver(message, AbortSignal.any([signal, timeout]))
      return { delivered: true, message: storable(answer) }
    } catch (error) {
      const reason = timeout.aborted ? `No answer within ${timeoutMs / 1000} s` : messageOf(error)
      return { delivered: false, failure: failureOf(error), message: storable(reason) }
    }
  }

  return { send }
}

/**
 * Only answers about the recipient or the content concern the mail itself. A refused login or sender, and 5.7.x
 * policies (relaying, reputation), are configuration errors, after which mails are retried.
 */
function failureOf(error: unknown): MailFailure {
  const { command, permanent, response }: NodemailerError = error instanceof Error ? error : new Error()
  if (permanent === undefined || (command !== 'RCPT TO' && command !== 'DATA')) return 'UNREACHABLE'
  return permanent && !/^\d{3}[ -]5\.7\./.test(response ?? '') ? 'REFUSED' : 'DEFERRED'
}

/** The password of the URL, alone and as AUTH PLAIN sends it. */
function secretsOf(smtpUrl: string | undefined): string[] {
  const { credentials } = splitAddress(smtpUrl ?? 'smtp://none')
  return credentials ? [credentials.password, `\0${credentials.username}\0${credentials.password}`] : []
}
