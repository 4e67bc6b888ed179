/** Trims and deduplicates URLs entered by staff. */
export function distinctUrls(urls: string[]): string[] {
  return [...new Set(urls.map((url) => url.trim()))]
}

export function isHttpUrl(text: string): boolean {
  const url = text.trim()
  return /^https?:\/\/[^\s/]/i.test(url) && !/\s/.test(url) && URL.canParse(url)
}
