import { connect, createServer, type Socket } from 'node:net'
import { listen } from './loopback.ts'

export type SilentProxy = {
  /** URL of the database through the proxy. */
  url: string
  /** Stops forwarding without closing connections; new ones are still accepted. */
  goSilent(): void
  /** Forwards new connections again; old ones stay silent, as after a lost route. */
  recover(): void
  close(): Promise<void>
}

/** A proxy to a database that can stop forwarding without closing connections, like a pulled cable. */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let silent = false

  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    keep(near)
    if (silent) return void near.pause()
    const far = connect(Number(target.port), target.hostname)
    keep(far)
    near.pipe(far).pipe(near)
  })
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${await listen(server)}`

  return {
    url: url.href,
    goSilent() {
      silent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    recover() {
      silent = false
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
