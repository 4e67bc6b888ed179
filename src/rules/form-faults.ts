import type { ErrorDetail } from '../errors.ts'
import { EMPTY, EMPTY_FIELD, LANGUAGES, type Language, SENTENCES, UNAVAILABLE } from './form-sentences.ts'
import { readWeights } from './text.ts'

/** The language that an Accept-Language header prefers; English if it names none of ours. */
export function chooseLanguage(header: string | undefined): Language {
  const languageOf = (tag: string) => LANGUAGES.find((one) => tag === one || tag.startsWith(`${one}-`))
  const accepted = [...readWeights(header)].filter(([, weight]) => weight > 0)
  const preferred = accepted.sort((a, b) => b[1] - a[1]).map(([tag]) => languageOf(tag))
  return preferred.find((language) => language !== undefined) ?? 'en'
}

const IS_EMPTY =
  /^(must have required property|must NOT have fewer than 1 (characters|items)|must match pattern "\[\^\\s|(must not be empty|is required)$)/

/** The detail with a sentence that a form can show beside the field. */
export function toFormDetail(detail: ErrorDetail, language: Language): ErrorDetail {
  return { ...detail, message: sentenceOf(detail, language) }
}

function sentenceOf({ path, message, reason, availableQuantity }: ErrorDetail, language: Language): string {
  const unavailable = reason === undefined ? undefined : UNAVAILABLE[reason]
  if (unavailable) return unavailable[language].replace('$1', `${availableQuantity}`)
  if (IS_EMPTY.test(message)) {
    return (EMPTY[path.split('.').at(-1) ?? ''] ?? EMPTY_FIELD)[language]
  }
  const [pattern, ru, en] = SENTENCES.find(([pattern]) => pattern.test(message)) ?? []
  const sentence = language === 'ru' ? ru : en
  if (sentence === undefined) return message.charAt(0).toUpperCase() + message.slice(1)
  const groups = pattern?.exec(message) ?? []
  return sentence.replace(/\$(\d)/g, (_, group) => groups[Number(group)] ?? '')
}
