import { connect, createServer, type Socket } from 'node:net'
import { listen } from './loopback.ts'

/** Type and length. */
const HEADER_BYTES = 5
const NOTIFICATION = 'A'

/**
 * A proxy to a database that loses its notifications, as a pooler in transaction mode does: what the session listened to belongs
 * to a connection that serves somebody else.
 */
export async function startTransactionPooler(databaseUrl: string): Promise<{ url: string; close(): void }> {
  const target = new URL(databaseUrl)
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    near.pipe(far)
    forwardMessages(far, near)
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${await listen(server)}`
  return { url: url.href, close: () => void server.close() }
}

function forwardMessages(far: Socket, near: Socket): void {
  let received = Buffer.alloc(0)
  far.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= HEADER_BYTES) {
      const end = 1 + received.readInt32BE(1)
      if (received.length < end) return
      if (received.toString('latin1', 0, 1) !== NOTIFICATION) near.write(received.subarray(0, end))
      received = received.subarray(end)
    }
  })
}
