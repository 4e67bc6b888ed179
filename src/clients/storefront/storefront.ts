import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { StorefrontError } from '../../errors.ts'
import { decodeHtml } from '../../rules/scraping/charset.ts'
import { createPacer, type Pacer } from '../pacer.ts'
import type { StorefrontLimits, TimeSpent, Web, WebResponse } from './http.ts'
import { createRobots } from './robots.ts'

const MAX_REDIRECTS = 5
const MAX_PAGE_BYTES = 5 * 1024 * 1024
const MAX_ROBOTS_BYTES = 1024 * 1024
const MAX_IMAGE_BYTES = 15 * 1024 * 1024
const MAX_HOSTS = 1000
/** A slower answer no longer keeps the next request to its host waiting. */
const MAX_TURN_MS = 5000
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml|text\/plain|application\/octet-stream)?\s*(?:;|$)/i

export type StorefrontConfig = { userAgent: string; delayMs: number; allowedHosts: string[] }

export type Storefront = {
  /**
   * Fetches a page.
   * @returns its text, and its URL after redirects
   * @throws StorefrontError, also when robots.txt disallows the page; the signal's reason
   */
  readPage(pageUrl: string, signal: AbortSignal): Promise<{ url: string; html: string }>
  /**
   * Fetches a file of at most 15 MB. Whether it is an image isn't checked.
   * @param pageUrl sent as the referer
   * @throws StorefrontError; the signal's reason
   */
  readImage(
    imageUrl: string,
    pageUrl: string | null,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; contentType: string | undefined }>
  close(): void
}

type Host = { pacer: Pacer; delayMs: number }

/**
 * Creates a client of suppliers' storefronts (contract section 9). It sends one request at a time to each host, with the
 * delay that robots.txt asks for, and checks every redirect like the first URL.
 */
export function createStorefront(config: StorefrontConfig, limits: StorefrontLimits = {}): Storefront {
  const { maxTurnMs = MAX_TURN_MS } = limits
  const closing = new AbortController()
  let loading: Promise<Web> | undefined
  // Loaded on first use to keep the start fast.
  const web = () => {
    loading ??= import('./http.ts').then(({ createWeb }) => createWeb(config, limits))
    return loading
  }
  const hosts = new LRUCache<string, Host>({ max: MAX_HOSTS })
  const robots = createRobots(config.userAgent, readRobots)

  function hostOf(url: URL, delayMs = config.delayMs): Host {
    const known = hosts.get(url.host)
    if (known && known.delayMs >= delayMs) return known
    const host = { pacer: createPacer(delayMs), delayMs }
    hosts.set(url.host, host)
    return host
  }

  async function get(
    url: URL,
    accept: string,
    maxBytes: number,
    referer: string | null,
    { spent, signal }: { spent: TimeSpent; signal: AbortSignal },
  ): Promise<WebResponse> {
    const headers = { accept, ...(referer === null ? {} : { referer }) }
    const { pacer } = hostOf(url)
    const options = { headers, maxBytes, spent, signal }
    return (await web()).get(url, options, (call) => inTurn(pacer, call, { maxTurnMs, signal }))
  }

  /** @param check rejects a URL before it is requested */
  async function follow(
    address: string,
    send: (url: URL) => Promise<WebResponse>,
    check: (url: URL) => Promise<void> = async () => {},
  ) {
    let url = parseUrl(address)
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      await check(url)
      const response = await send(url)
      if (response.redirect === null) return { url, ...response }
      url = parseUrl(response.redirect, url)
    }
    throw new StorefrontError(`more than ${MAX_REDIRECTS} redirects`, { permanent: true })
  }

  /** Shared by all waiting callers, so none of their signals aborts it. */
  async function readRobots(url: URL): Promise<string | null> {
    const request = { spent: { ms: 0 }, signal: closing.signal }
    try {
      const { bytes } = await follow(url.href, (url) =>
        get(url, 'text/plain', MAX_ROBOTS_BYTES, null, request),
      )
      return bytes.toString('utf8')
    } catch (error) {
      // 4xx means that there is none.
      if (error instanceof StorefrontError && error.about.permanent && error.about.status !== undefined)
        return null
      throw error
    }
  }

  async function assertAllowed(url: URL, signal: AbortSignal): Promise<void> {
    const { allows, delayMs } = await unlessAborted(robots.rulesFor(url), signal)
    if (!allows(url)) throw new StorefrontError('robots.txt disallows the page', { permanent: true })
    hostOf(url, Math.max(delayMs, config.delayMs))
  }

  return {
    async readPage(pageUrl, signal) {
      const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5'
      const request = { spent: { ms: 0 }, signal }
      const send = (url: URL) => get(url, accept, MAX_PAGE_BYTES, null, request)
      const { url, bytes, contentType } = await follow(pageUrl, send, (url) => assertAllowed(url, signal))
      if (!HTML.test(contentType ?? '')) {
        throw new StorefrontError(`expected an HTML page, got ${contentType}`, { permanent: true })
      }
      return { url: url.href, html: decodeHtml(bytes, contentType) }
    },
    async readImage(imageUrl, pageUrl, signal) {
      const request = { spent: { ms: 0 }, signal }
      const send = (url: URL) => get(url, 'image/*,*/*;q=0.5', MAX_IMAGE_BYTES, pageUrl, request)
      const { bytes, contentType } = await follow(imageUrl, send)
      if (bytes.length === 0) throw new StorefrontError('the response is empty', { permanent: true })
      return { bytes, contentType }
    },
    close() {
      closing.abort()
      void loading?.then((web) => web.close())
    },
  }
}

/** Runs a call when its host may be asked again. A slow one gives up its turn, not its answer. */
async function inTurn<T>(
  pacer: Pacer,
  call: () => Promise<T>,
  { maxTurnMs, signal }: { maxTurnMs: number; signal: AbortSignal },
): Promise<T> {
  const started = Promise.withResolvers<{ answer: Promise<T> }>()
  const turn = pacer(
    'ordinary',
    async () => {
      const answer = call()
      started.resolve({ answer })
      const late = new AbortController()
      const isOver = answer.catch(() => {}).finally(() => late.abort())
      await Promise.race([isOver, delay(maxTurnMs, undefined, { signal: late.signal }).catch(() => {})])
    },
    signal,
  )
  turn.catch(started.reject)
  const { answer } = await started.promise
  return answer
}

/** Removes credentials and fragment. @throws StorefrontError for anything but http(s) */
function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new StorefrontError('the URL is not http(s)', { permanent: true })
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
