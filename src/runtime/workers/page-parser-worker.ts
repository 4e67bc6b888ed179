import { findPageImages } from '../../rules/scraping/page-images.ts'
import type { PageAnswer, PageToRead } from './page-parser.ts'

/** Runs in a thread of its own, see page-reading.ts. */
export default function read({ html, url }: PageToRead): PageAnswer {
  try {
    return { images: findPageImages(html, url) }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}

function faultOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error)
  // Of a tag with a million attributes the parser's pattern has to remember too much.
  return /call stack/.test(said) ? 'one of its tags is too long' : said
}
