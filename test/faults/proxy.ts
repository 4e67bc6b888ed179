import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../support/loopback.ts'
import { type Splitter, splitChunks, splitPostgres } from './messages.ts'
import type { Meter } from './meter.ts'

/**
 * `open` forwards; `silent` accepts connections but forwards nothing, like a lost route, and what was connected stays
 * silent for good; `closed` breaks and refuses connections.
 */
type ProxyState = 'open' | 'silent' | 'closed'

export type FaultProxy = {
  port: number
  /** Where to forward to. */
  target: { host: string; port: number }
  set(state: ProxyState): void
  /** Breaks all connections. */
  cut(): void
  close(): Promise<void>
}

type Link = { cut: () => void; silent: boolean; closed: Promise<void> }

/** Starts a proxy on loopback that counts messages and breaks, holds or refuses connections. */
export async function startProxy(
  name: string,
  meter: Meter,
  { target = { host: '127.0.0.1', port: 9 }, protocol = 'turns' as 'turns' | 'postgres' } = {},
): Promise<FaultProxy> {
  const links = new Set<Link>()
  let state: ProxyState = 'open'

  async function forward(from: Socket, to: Socket, split: Splitter, what: string, link: Link): Promise<void> {
    const { cut } = link
    let at: number | null = null
    try {
      for await (const chunk of from) {
        for (const { bytes, ends } of split(chunk)) {
          if (link.silent) await link.closed
          if (at === null) {
            at = meter.next()
            if (meter.reach(at, 'before', what, cut)) return
          }
          await new Promise((resolve) => to.write(bytes, resolve))
          if (!ends) continue
          if (meter.reach(at, 'after', what, cut)) return
          at = null
        }
      }
      to.end()
    } catch {
      cut()
    }
  }

  const server = createServer({ noDelay: true }, (near) => {
    if (state === 'closed') return void near.resetAndDestroy()
    const far = connect({ ...proxy.target, noDelay: true })
    const closed = Promise.withResolvers<void>()
    const cut = () => {
      near.destroy()
      far.destroy()
      links.delete(link)
      closed.resolve()
    }
    const link: Link = { cut, silent: state === 'silent', closed: closed.promise }
    links.add(link)
    for (const socket of [near, far]) socket.on('error', cut).on('close', cut)
    const splitter = (direction: 'request' | 'answer') =>
      protocol === 'postgres' ? splitPostgres(direction) : splitChunks()
    void forward(near, far, splitter('request'), `${name} request`, link)
    void forward(far, near, splitter('answer'), `${name} answer`, link)
  })
  const proxy: FaultProxy = {
    port: await listen(server),
    target,
    set(next) {
      state = next
      if (next === 'silent') for (const link of links) link.silent = true
      if (next === 'closed') proxy.cut()
    },
    cut() {
      for (const { cut } of links) cut()
    },
    async close() {
      proxy.set('closed')
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
