import { LRUCache } from 'lru-cache'
import { StorefrontError } from '../../errors.ts'
import { decodeHtml } from '../../rules/scraping/charset.ts'
import { createPacer, type Pacer } from '../pacer.ts'
import type { StorefrontLimits, Web, WebAnswer } from './http.ts'
import { createRobots } from './robots.ts'

const MAX_REDIRECTS = 5
const MAX_PAGE_BYTES = 5 * 1024 * 1024
const MAX_ROBOTS_BYTES = 1024 * 1024
const MAX_IMAGE_BYTES = 15 * 1024 * 1024
const MAX_HOSTS = 1000
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml|text\/plain|application\/octet-stream)?\s*(?:;|$)/i

export type StorefrontConfig = { userAgent: string; delayMs: number; allowedHosts: string[] }

export type Storefront = {
  /**
   * A page, as text.
   * @returns its address after redirects
   * @throws StorefrontError, also when its site's robots.txt forbids it; the signal's reason
   */
  readPage(address: string, signal: AbortSignal): Promise<{ url: string; html: string }>
  /**
   * A picture, or whatever is there instead: 15 MB at most.
   * @param page on which it was found
   * @throws StorefrontError; the signal's reason
   */
  readImage(
    address: string,
    page: string | null,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; contentType: string | undefined }>
  close(): void
}

type Host = { turns: Pacer; delayMs: number }

/**
 * Reads the storefronts of suppliers (contract section 9): by http(s), from the public internet, one request at a
 * time to each host with a pause between them, as its robots.txt asks. Each redirect is looked at like the first
 * address.
 */
export function createStorefront(config: StorefrontConfig, limits: StorefrontLimits = {}): Storefront {
  const closing = new AbortController()
  let made: Promise<Web> | undefined
  // Loaded with the first page: the HTTP client is large, and a start needs none.
  const web = () => {
    made ??= import('./http.ts').then(({ createWeb }) => createWeb(config, limits))
    return made
  }
  const hosts = new LRUCache<string, Host>({ max: MAX_HOSTS })
  const robots = createRobots(config.userAgent, readRobots)

  function hostOf(url: URL, delayMs = config.delayMs): Host {
    const held = hosts.get(url.host)
    if (held && held.delayMs >= delayMs) return held
    const host = { turns: createPacer(delayMs), delayMs }
    hosts.set(url.host, host)
    return host
  }

  async function get(
    url: URL,
    accept: string,
    mostBytes: number,
    page: string | null,
    signal: AbortSignal,
  ): Promise<WebAnswer> {
    const headers = { accept, ...(page === null ? {} : { referer: page }) }
    const { turns } = hostOf(url)
    return (await web()).get(url, { headers, mostBytes, signal }, (call) => turns('ordinary', call, signal))
  }

  /** @param may refuses an address before it is asked */
  async function follow(
    address: string,
    send: (url: URL) => Promise<WebAnswer>,
    may: (url: URL) => Promise<void> = async () => {},
  ) {
    let url = readAddress(address)
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      await may(url)
      const answer = await send(url)
      if (answer.redirect === null) return { url, ...answer }
      url = readAddress(answer.redirect, url)
    }
    throw new StorefrontError(`more than ${MAX_REDIRECTS} redirects`, { permanent: true })
  }

  /** Whoever asked first, it is for all who wait: none of their signals ends it. */
  async function readRobots(address: URL): Promise<string | null> {
    const { signal } = closing
    try {
      const { bytes } = await follow(address.href, (url) =>
        get(url, 'text/plain', MAX_ROBOTS_BYTES, null, signal),
      )
      return bytes.toString('utf8')
    } catch (error) {
      // 4xx: there is none.
      if (error instanceof StorefrontError && error.about.permanent && error.about.status !== undefined)
        return null
      throw error
    }
  }

  async function refuseForbidden(url: URL, signal: AbortSignal): Promise<void> {
    const { allows, delayMs } = await unlessAborted(robots.of(url), signal)
    if (!allows(url)) throw new StorefrontError('robots.txt forbids the page', { permanent: true })
    hostOf(url, Math.max(delayMs, config.delayMs))
  }

  return {
    async readPage(address, signal) {
      const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5'
      const send = (url: URL) => get(url, accept, MAX_PAGE_BYTES, null, signal)
      const { url, bytes, contentType } = await follow(address, send, (url) => refuseForbidden(url, signal))
      if (!HTML.test(contentType ?? '')) {
        throw new StorefrontError(`the address is no page but ${contentType}`, { permanent: true })
      }
      return { url: url.href, html: decodeHtml(bytes, contentType) }
    },
    async readImage(address, page, signal) {
      const send = (url: URL) => get(url, 'image/*,*/*;q=0.5', MAX_IMAGE_BYTES, page, signal)
      const { bytes, contentType } = await follow(address, send)
      if (bytes.length === 0) throw new StorefrontError('the answer is empty', { permanent: true })
      return { bytes, contentType }
    },
    close() {
      closing.abort()
      void made?.then((web) => web.close())
    },
  }
}

/** Absolute http(s), without credentials and fragment. */
function readAddress(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new StorefrontError('the address is not http(s)', { permanent: true })
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
