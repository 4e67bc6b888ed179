import type http from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type https from 'node:https'

/** A server that says nothing for so long is taken for silent, be it while connecting or between two bytes. */
const SILENCE_MS = 5000
/** So many silences in a row may pass while it is the reader who takes nothing. */
const PATIENT_SILENCES = 12

type Transport = Pick<typeof http, 'request'>

/**
 * http or https with an end to patience, which the client library doesn't have. Who reads an answer slowly is no reason
 * to end it; one that nobody reads at all is ended too.
 */
export function withTimeouts(transport: typeof http | typeof https, silenceMs = SILENCE_MS): Transport {
  function request(
    options: RequestOptions | string | URL,
    callback?: RequestOptions | ((response: IncomingMessage) => void),
  ): ClientRequest {
    if (typeof options === 'string' || options instanceof URL || typeof callback !== 'function') {
      throw new TypeError('Requests are described by options, and answered to a function')
    }
    let answer: IncomingMessage | undefined
    let taken = 0
    let silences = 0
    const asked = transport.request({ ...options, timeout: silenceMs }, (response) => {
      answer = response
      callback(response)
    })
    asked.on('timeout', () => {
      const waiting = answer?.readableLength ?? 0
      const takenNow = (asked.socket?.bytesRead ?? 0) - waiting
      silences = takenNow === taken ? silences + 1 : 0
      taken = takenNow
      if (waiting > 0 && silences < PATIENT_SILENCES) asked.setTimeout(silenceMs)
      else asked.destroy(new Error(`The storage said nothing for ${silenceMs} ms`))
    })
    return asked
  }
  return { request }
}
