import { LRUCache } from 'lru-cache'
import { StorefrontError } from '../../errors.ts'
import { encodingOf, isEncoding } from '../../rules/encoding.ts'
import { MAX_IMAGE_BYTES } from '../../rules/media/formats.ts'
import { parseWebUrl } from '../../rules/scraping/image-urls.ts'
import { createPacer, type Pacer, type Priority } from '../pacer.ts'
import type { GetOptions, StorefrontLimits, Web, WebFile } from './http.ts'
import { createRobots } from './robots.ts'

/** Pages may show images of any number of hosts. */
const MAX_HOSTS = 500
const MAX_PAGE_BYTES = 5 * 1024 * 1024
const MAX_ROBOTS_BYTES = 1024 * 1024
const META_CHARSET = /charset\s*=\s*["']?([\w.:-]{1,40})/i
const HTML = /^(?:text\/html|application\/xhtml\+xml|text\/plain|application\/octet-stream)?\s*(?:;|$)/i

export type StorefrontConfig = { userAgent: string; delayMs: number; allowedHosts: string[] }

export type Storefront = ReturnType<typeof createStorefront>

/**
 * Creates a client of suppliers' storefronts (docs/scraping.md). It sends one request at a time to each host, with a
 * delay, and checks every redirect like the first URL. Redirects and retries don't queue again.
 */
export function createStorefront(config: StorefrontConfig, limits: StorefrontLimits = {}) {
  let web: Web | undefined
  const pacers = new LRUCache<string, Pacer>({ max: MAX_HOSTS })
  const isAllowed = createRobots(config.userAgent, readRobots)

  async function get(url: URL, options: GetOptions, priority: Priority = 'ordinary'): Promise<WebFile> {
    const call = async () => {
      // Imported on first use to keep the start fast.
      const { createWeb } = await import('./http.ts')
      web ??= createWeb(config, limits)
      return web.get(url, options)
    }
    const paced = pacers.get(url.host) ?? createPacer(config.delayMs)
    pacers.set(url.host, paced)
    return paced(priority, call, options.signal)
  }

  /** Urgent: a page whose redirect needs robots.txt holds the turn of its host. */
  async function readRobots(url: URL, signal: AbortSignal): Promise<string | null> {
    const options = { headers: { accept: 'text/plain' }, maxBytes: MAX_ROBOTS_BYTES, signal }
    try {
      return (await get(url, options, 'urgent')).bytes.toString('utf8')
    } catch (error) {
      // 4xx means that there is none.
      if (error instanceof StorefrontError && error.permanent && error.status !== undefined) return null
      throw error
    }
  }

  async function assertAllowed(url: URL, signal: AbortSignal): Promise<void> {
    if (!(await isAllowed(url, signal))) throw new StorefrontError('robots.txt disallows the page')
  }

  return {
    /**
     * Fetches a page.
     * @returns its text, and its URL after redirects
     * @throws StorefrontError, also when robots.txt disallows the page; the signal's reason
     */
    async readPage(pageUrl: string, signal: AbortSignal): Promise<{ url: string; html: string }> {
      const headers = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5' }
      const check = (url: URL) => assertAllowed(url, signal)
      const address = parseUrl(pageUrl)
      await check(address)
      const options = { headers, maxBytes: MAX_PAGE_BYTES, check, signal }
      const { url, bytes, contentType } = await get(address, options)
      if (!HTML.test(contentType?.trim() ?? '')) {
        throw new StorefrontError(`expected an HTML page, got ${contentType}`)
      }
      return { url: parseUrl(url.href).href, html: decodeHtml(bytes, contentType) }
    },
    /**
     * Fetches a file of at most 15 MB. Whether it is an image isn't checked.
     * @param pageUrl sent as the referer
     * @throws StorefrontError; the signal's reason
     */
    async readImage(imageUrl: string, pageUrl: string | null, signal: AbortSignal): Promise<Buffer> {
      const headers = { accept: 'image/*,*/*;q=0.5', ...(pageUrl === null ? {} : { referer: pageUrl }) }
      const { bytes } = await get(parseUrl(imageUrl), { headers, maxBytes: MAX_IMAGE_BYTES, signal })
      if (bytes.length === 0) throw new StorefrontError('the response is empty')
      return bytes
    },
    close: () => web?.close(),
  }
}

/** @throws StorefrontError for anything but http(s) */
function parseUrl(text: string): URL {
  const url = parseWebUrl(text)
  if (url === null) throw new StorefrontError('the URL is not http(s)')
  return url
}

/** Decodes a page; invalid bytes become U+FFFD. An unknown encoding counts as UTF-8. */
function decodeHtml(bytes: Buffer, contentType?: string): string {
  const encoding = encodingOf(bytes, contentType, META_CHARSET) ?? ''
  return new TextDecoder(isEncoding(encoding) ? encoding : 'utf-8').decode(bytes)
}
