import type http from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type https from 'node:https'

/** While connecting, or between two bytes. */
const SILENCE_TIMEOUT_MS = 5000
/** Timeouts in a row in which the reader may take nothing from the response. */
const MAX_READER_TIMEOUTS = 12

type Transport = Pick<typeof http, 'request'>

/** Adds timeouts to http or https, which the S3 client lacks. A slow reader is not a silent server. */
export function withTimeouts(transport: typeof http | typeof https): Transport {
  function request(
    options: RequestOptions | string | URL,
    callback?: RequestOptions | ((response: IncomingMessage) => void),
  ): ClientRequest {
    if (typeof options === 'string' || options instanceof URL || typeof callback !== 'function') {
      throw new TypeError('Only requests with options and a callback are supported')
    }
    let response: IncomingMessage | undefined
    let bytesTaken = 0
    let timeouts = 0
    const sent = transport.request({ ...options, timeout: SILENCE_TIMEOUT_MS }, (received) => {
      response = received
      callback(received)
    })
    sent.on('timeout', () => {
      const waiting = response?.readableLength ?? 0
      const takenNow = (sent.socket?.bytesRead ?? 0) - waiting
      timeouts = takenNow === bytesTaken ? timeouts + 1 : 0
      bytesTaken = takenNow
      if (waiting > 0 && timeouts < MAX_READER_TIMEOUTS) sent.setTimeout(SILENCE_TIMEOUT_MS)
      else sent.destroy(new Error(`No response from the storage for ${SILENCE_TIMEOUT_MS} ms`))
    })
    return sent
  }
  return { request }
}
