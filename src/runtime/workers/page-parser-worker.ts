import { findPageImages } from '../../rules/scraping/page-images.ts'
import type { Page, PageResult } from './page-parser.ts'

/** Runs in the thread of page-parser.ts. */
export default function parse({ html, url }: Page): PageResult {
  try {
    return { images: findPageImages(html, url) }
  } catch (error) {
    return { fault: describe(error) }
  }
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  // The parser's pattern overflows the stack on a tag with a million attributes.
  return /call stack/.test(message) ? 'one of its tags is too long' : message
}
