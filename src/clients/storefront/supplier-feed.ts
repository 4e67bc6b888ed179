import { StorefrontError, SupplierFeedError } from '../../errors.ts'
import { splitAddress } from '../secrets.ts'
import type { StorefrontLimits } from './http.ts'

const TIMEOUT = { socket: 30_000, request: 30 * 60_000 }
/** Of the uncompressed supplier feed. */
const MAX_BYTES = 1024 * 1024 * 1024
const HEADERS = { accept: 'application/xml, text/xml, */*' }

/**
 * Creates a client of the supplier feed. Redirects to private addresses are refused, see createGuard.
 * @param url http(s), may contain credentials; its host may be private
 * @param allowedHosts further hosts that may be private
 */
export function createSupplierFeedClient(
  url: string,
  allowedHosts: string[],
  { maxBytes = MAX_BYTES, ...limits }: StorefrontLimits & { maxBytes?: number } = {},
) {
  const { address, credentials } = splitAddress(url)
  const home = new URL(address)

  return {
    /**
     * Reads the uncompressed supplier feed while it arrives.
     * @param onContentType called before the first bytes
     * @throws SupplierFeedError, whose message contains no part of the URL, which may hold credentials
     */
    async *read(signal: AbortSignal, onContentType: (type?: string) => void): AsyncGenerator<Buffer> {
      // Imported on first use to keep the start fast.
      const [{ createWeb }, { hostAndPort }] = await Promise.all([import('./http.ts'), import('./guard.ts')])
      const config = { userAgent: 'shop-backend', allowedHosts: [hostAndPort(home), ...allowedHosts] }
      const web = createWeb(config, { ...limits, timeout: { ...TIMEOUT, ...limits.timeout } })
      try {
        yield* web.stream(home, { headers: HEADERS, credentials, maxBytes, signal }, onContentType)
      } catch (error) {
        throw error instanceof StorefrontError ? new SupplierFeedError(describe(error)) : error
      } finally {
        web.close()
      }
    },
  }
}

/** What follows the code of a temporary failure may contain the URL. */
function describe({ message, permanent }: StorefrontError): string {
  return `The feed could not be downloaded: ${permanent ? message : message.replace(/:.*/s, '')}`
}
