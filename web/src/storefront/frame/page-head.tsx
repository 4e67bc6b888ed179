import { useLocation } from '@tanstack/react-router'
import { useSettings } from '../settings.ts'

type Props = { title: string; description?: string | undefined; isHidden?: boolean; canonicalPath?: string }

/**
 * What browsers and search engines show of a page.
 * @param isHidden not for search engines
 * @param canonicalPath a path or an address; by default the page's own
 */
export function PageHead({ title, description, isHidden = false, canonicalPath }: Props) {
  const { site_name: name = '', siteUrl = window.location.origin } = useSettings()
  const { pathname } = useLocation()
  const page = canonicalPath ?? pathname
  const canonical = page.startsWith('/') ? siteUrl + page : page
  return (
    <>
      <title>{name === '' || title.includes(name) ? title : `${title} — ${name}`}</title>
      {description !== undefined && description !== '' && <meta name="description" content={description} />}
      {isHidden ? <meta name="robots" content="noindex" /> : <link rel="canonical" href={canonical} />}
    </>
  )
}
