import { connect, createServer, type Socket } from 'node:net'

export type SilentProxy = {
  /** The database's address by way of the proxy. */
  url: string
  /** Nothing is forwarded any more, in either direction; no connection is closed, new ones are accepted. */
  goSilent(): void
  /** New connections are forwarded again; those that were cut stay silent, as after a lost route. */
  recover(): void
  close(): Promise<void>
}

/** A way to a database that can go silent without closing anything, like a cable that is pulled. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  url.port = String(address.port)

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
