import type { Deps } from '../../deps.ts'
import { robotsText } from '../../rules/published/robots.ts'

/** What search engines may look at (RFC 9309), for the address at which the storefront is. */
export function robotsTxt({ config }: Pick<Deps, 'config'>): string {
  return robotsText(config.siteUrl)
}
