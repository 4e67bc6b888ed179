export type Language = 'ru' | 'en'

const KEY = 'shop_language'
const stored = localStorage.getItem(KEY)
const preferred = navigator.languages.find((one) => /^(ru|en)\b/.test(one)) ?? 'en'

export const language: Language = (stored ?? preferred).startsWith('ru') ? 'ru' : 'en'

/** Texts are chosen when a page loads, so the page is loaded again. */
export function switchLanguage(to: Language): void {
  localStorage.setItem(KEY, to)
  window.location.reload()
}
