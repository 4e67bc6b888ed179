/** In the order in which they are looked for: most name others as well. */
const BROWSERS: [pattern: RegExp, name: string][] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Of a header that anybody can fill in. */
const MAX_SCANNED = 500

/**
 * A short name of a client by its User-Agent: `Firefox, Windows`, or the first word of a program's (`curl`).
 * @returns null if it names none
 */
export function clientName(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, MAX_SCANNED)
  const browser = nameIn(BROWSERS, text)
  const names = [browser ?? nameIn([[/^Mozilla\//, 'Browser']], text), nameIn(SYSTEMS, text)].filter((name) => name)
  if (names.length > 0) return names.join(', ')
  // Letters alone, since it is shown in a mail.
  return /^[A-Za-z][A-Za-z-]{1,29}(?=[\d/ .]|$)/.exec(text)?.[0] ?? null
}

function nameIn(known: [pattern: RegExp, name: string][], text: string): string | undefined {
  return known.find(([pattern]) => pattern.test(text))?.[1]
}
