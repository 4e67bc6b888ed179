import { findPageImages } from '../../rules/scraping/page-images.ts'
import type { Page } from './page-parser.ts'

/** Runs in the thread of page-parser.ts. */
export default function parse({ html, url }: Page): string[] {
  return findPageImages(html, url)
}
