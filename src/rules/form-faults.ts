import type { ErrorDetail } from '../errors.ts'

/** Languages of the sentences that forms show (contract section 1, "Errors"). */
const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

/** The language that an Accept-Language header prefers; English if it names none of ours. */
export function chooseLanguage(header: string | undefined): Language {
  const weighed = (header ?? '').split(',').flatMap((part) => {
    const [tag = '', quality] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/)
    const language = LANGUAGES.find((one) => tag === one || tag.startsWith(`${one}-`))
    return language ? [{ language, weight: quality === undefined ? 1 : Number(quality) || 0 }] : []
  })
  const best = weighed.sort((a, b) => b.weight - a.weight)[0]
  return best && best.weight > 0 ? best.language : 'en'
}

/** What a form asks for where a field is missing or empty, by the field's name. */
const EMPTY: { [field: string]: Record<Language, string> } = {
  name: { en: 'Enter a name', ru: 'Укажите имя' },
  customerName: { en: 'Enter a name', ru: 'Укажите имя' },
  author: { en: 'Enter a name', ru: 'Укажите имя' },
  email: { en: 'Enter an email address', ru: 'Укажите адрес электронной почты' },
  customerEmail: { en: 'Enter an email address', ru: 'Укажите адрес электронной почты' },
  phone: { en: 'Enter a phone number', ru: 'Укажите телефон' },
  customerPhone: { en: 'Enter a phone number', ru: 'Укажите телефон' },
  password: { en: 'Enter a password', ru: 'Введите пароль' },
  currentPassword: { en: 'Enter your current password', ru: 'Введите текущий пароль' },
  newPassword: { en: 'Enter a new password', ru: 'Введите новый пароль' },
  message: { en: 'Enter a message', ru: 'Напишите сообщение' },
  text: { en: 'Enter a text', ru: 'Введите текст' },
  title: { en: 'Enter a title', ru: 'Введите заголовок' },
  items: { en: 'Add at least one product', ru: 'Добавьте хотя бы один товар' },
  quantity: { en: 'Enter a quantity', ru: 'Укажите количество' },
}
const EMPTY_FIELD: Record<Language, string> = { en: 'Fill in this field', ru: 'Заполните это поле' }

const IS_EMPTY =
  /^(must have required property|must NOT have fewer than 1 (characters|items)|must match pattern "\\S"|must not be empty$)/

/** Sentences for what validators and services say, which is short and in English. */
const SENTENCES: [pattern: RegExp, en: string, ru: string][] = [
  [
    /^must NOT have fewer than (\d+) characters$/,
    'Enter at least $1 characters',
    'Минимальное число символов: $1',
  ],
  [/^must have at least (\d+) characters$/, 'Enter at least $1 characters', 'Минимальное число символов: $1'],
  [
    /^must NOT have more than (\d+) characters$/,
    'Enter at most $1 characters',
    'Максимальное число символов: $1',
  ],
  [/^must have at most \d+ bytes in UTF-8$/, 'Choose a shorter password', 'Выберите пароль покороче'],
  [
    /^must have at least (\d+) digits$/,
    'Enter a phone number with at least $1 digits',
    'Укажите телефон; минимальное число цифр: $1',
  ],
  [
    /^must be an email address$/,
    'Enter an email address, such as name@example.com',
    'Укажите адрес электронной почты, например name@example.com',
  ],
  [/^must NOT have fewer than (\d+) items$/, 'Choose at least $1', 'Выберите не меньше $1'],
  [/^must NOT have more than (\d+) items$/, 'Choose at most $1', 'Выберите не больше $1'],
  [/^must be >= (\S+)$/, 'The smallest value is $1', 'Наименьшее значение: $1'],
  [/^must be <= (\S+)$/, 'The largest value is $1', 'Наибольшее значение: $1'],
  [/^must add up to at most (\d+)$/, 'The largest quantity is $1', 'Наибольшее количество: $1'],
  [/^(must be integer|must be decimal digits)/, 'Enter a whole number', 'Введите целое число'],
  [/^(must be number|must be a finite number)/, 'Enter a number', 'Введите число'],
  [
    /^must have at most two decimals$/,
    'Enter at most two decimals',
    'Введите не больше двух знаков после запятой',
  ],
  [/^must be string/, 'Enter a text', 'Введите текст'],
  [/^must be boolean/, 'Choose yes or no', 'Выберите «да» или «нет»'],
  [/^must be array/, 'This must be a list', 'Здесь нужен список'],
  [/^must be object/, 'This must be an object', 'Здесь нужен объект'],
  [/^must be one of (.+)$/, 'Choose one of: $1', 'Выберите одно из: $1'],
  [/^must match format "date"$/, 'Enter a date, such as 2026-12-31', 'Введите дату, например 2026-12-31'],
  [
    /^must match format "date-time"$/,
    'Enter a date and a time, such as 2026-12-31T12:00:00Z',
    'Введите дату и время, например 2026-12-31T12:00:00Z',
  ],
  [/^must match (pattern|format)/, 'This is not in the right form', 'Неверный формат'],
  [/^is not the current password$/, 'This is not your current password', 'Текущий пароль указан неверно'],
  [/^must be in the future$/, 'Choose a time in the future', 'Выберите время в будущем'],
  [/^must be after activeFrom$/, 'Choose a time after the beginning', 'Выберите время позже начала'],
  [
    /^must not be before startDate$/,
    'Choose a day that is not before the first',
    'Выберите день не раньше первого',
  ],
  [/^must be an http\(s\) URL$/, 'Enter an http(s) address', 'Введите адрес, начинающийся с http(s)'],
  [
    /^must be a path in the shop/,
    'Enter a path in the shop (/…) or an http(s) address',
    'Введите путь в магазине (/…) или адрес, начинающийся с http(s)',
  ],
  [
    /^(refers to a record that does not exist|there is no such |is the id of no |is not a product$)/,
    'There is no such record',
    'Такой записи нет',
  ],
  [/^is repeated$/, 'This is given twice', 'Значение повторяется'],
]

/** Why a product can't be had, with what is left. */
const UNAVAILABLE: { [reason: string]: Record<Language, string> } = {
  NOT_FOUND: { en: 'This product is no longer sold', ru: 'Этот товар больше не продаётся' },
  NO_PRICE: { en: 'This product has no price at the moment', ru: 'У этого товара сейчас нет цены' },
  INVALID_QUANTITY: { en: 'This quantity can’t be ordered', ru: 'Такое количество нельзя заказать' },
  OUT_OF_STOCK: { en: 'This product is out of stock', ru: 'Этого товара нет в наличии' },
  NOT_ENOUGH: { en: 'Only $1 left in stock', ru: 'В наличии только $1 шт.' },
}

/** The detail with a sentence that a form can show beside the field. */
export function toFormDetail(detail: ErrorDetail, language: Language): ErrorDetail {
  return { ...detail, message: sentenceOf(detail, language) }
}

function sentenceOf({ path, message, reason, availableQuantity }: ErrorDetail, language: Language): string {
  const unavailable = reason === undefined ? undefined : UNAVAILABLE[reason]
  if (unavailable) return unavailable[language].replace('$1', `${availableQuantity}`)
  if (IS_EMPTY.test(message)) return (EMPTY[path.split('.').at(-1) ?? ''] ?? EMPTY_FIELD)[language]
  for (const [pattern, en, ru] of SENTENCES) {
    const found = pattern.exec(message)
    if (found) return (language === 'ru' ? ru : en).replace('$1', () => found[1] ?? '')
  }
  return message.charAt(0).toUpperCase() + message.slice(1)
}
