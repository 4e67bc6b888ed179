import { findPageImages } from '../../rules/scraping/page-images.ts'
import type { Page, PageResult } from './page-parser.ts'

/** Runs in the thread of page-parser.ts. */
export default function parse({ html, url }: Page): PageResult {
  try {
    return { images: findPageImages(html, url) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
