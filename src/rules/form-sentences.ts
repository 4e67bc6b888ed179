import { type ErrorDetail, LANGUAGES, type Language } from '../errors.ts'
import { readWeights } from './text.ts'

/** What a form asks for where a field is missing or empty, by the field's name. */
const EMPTY: { [field: string]: Record<Language, string> } = {
  // Of a person or a thing, for which Russian has two words.
  name: { en: 'Enter a name', ru: 'Заполните это поле' },
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

/** Sentences for what validators and services say in English; without one in English that itself is shown. */
const SENTENCES: [pattern: RegExp, ru: string, en?: string][] = [
  [/^must NOT have fewer than (\d+) characters$/, 'Минимальное число символов: $1', 'Enter at least $1 characters'],
  [/^must NOT have more than (\d+) characters$/, 'Максимальное число символов: $1', 'Enter at most $1 characters'],
  [/^must have at most \d+ bytes in UTF-8$/, 'Выберите пароль покороче', 'Choose a shorter password'],
  [
    /^must have at least (\d+) digits$/,
    'Укажите телефон; минимальное число цифр: $1',
    'Enter a phone number with at least $1 digits',
  ],
  [
    /^must be an email address$/,
    'Укажите адрес электронной почты, например name@example.com',
    'Enter an email address, such as name@example.com',
  ],
  [/^must NOT have fewer than (\d+) items$/, 'Выберите не меньше $1', 'Choose at least $1'],
  [/^must NOT have more than (\d+) items$/, 'Выберите не больше $1', 'Choose at most $1'],
  [/^must be >= (\S+)$/, 'Наименьшее значение: $1', 'The smallest value is $1'],
  [/^must be > (\S+)$/, 'Введите число больше $1', 'Enter a number above $1'],
  [/^must be <= (\S+)$/, 'Наибольшее значение: $1', 'The largest value is $1'],
  [/^must (be integer|match format "int64")/, 'Введите целое число', 'Enter a whole number'],
  [/^must be number/, 'Введите число', 'Enter a number'],
  [/^must have at most two decimals$/, 'Введите не больше двух знаков после запятой', 'Enter at most two decimals'],
  [/^must be string/, 'Введите текст', 'Enter a text'],
  [/^must NOT have additional properties$/, 'Такого поля нет', 'There is no such field'],
  [/^must be boolean/, 'Выберите «да» (true) или «нет» (false)', 'Choose yes (true) or no (false)'],
  [/^must be array/, 'Здесь нужен список', 'This must be a list'],
  [/^must be object/, 'Здесь нужен объект', 'This must be an object'],
  [/^must be one of (.+), alone or/, 'Сортируйте по одному из полей: $1; после него можно указать ,asc или ,desc'],
  [/^must be one of (.+)$/, 'Выберите одно из: $1', 'Choose one of: $1'],
  // The pattern of the licence's days begins with the millennium.
  [
    /^must match (format "date"|pattern "\^\[12\]")$/,
    'Введите дату, например 2026-12-31',
    'Enter a date, such as 2026-12-31',
  ],
  [
    /^must match format "date-time"$/,
    'Введите дату и время, например 2026-12-31T12:00:00Z',
    'Enter a date and a time, such as 2026-12-31T12:00:00Z',
  ],
  [
    /^must match pattern "\^\(\?!public/,
    'Только латинские буквы, цифры, точки, дефисы и подчёркивания, первой — буква',
    'Use Latin letters, digits, dots, hyphens and underscores, a letter first',
  ],
  [/^(must match (pattern|format)|is not valid$)/, 'Неверный формат', 'This is not in the right form'],
  [/^is not the current password$/, 'Текущий пароль указан неверно', 'This is not your current password'],
  [/^must be in the future$/, 'Выберите время в будущем', 'Choose a time in the future'],
  [/^must be after activeFrom$/, 'Выберите время позже начала', 'Choose a time after the beginning'],
  [/^must not be before startDate$/, 'Выберите день не раньше первого', 'Choose a day that is not before the first'],
  [/^must be an http\(s\) URL$/, 'Введите адрес, начинающийся с http(s)', 'Enter an http(s) address'],
  [/^must be a path in the shop/, 'Введите путь в магазине (/…) или адрес, начинающийся с http(s)'],
  [/^refers to a record that does not exist$/, 'Такой записи нет', 'There is no such record'],
  [/^product (\d+): (.+)$/, 'Товар $1: $2'],
  [/^banner (\d+): (.+)$/, 'Баннер $1: $2'],
  [/^feature (\d+): (.+)$/, 'Преимущество $1: $2'],
  [/^brand (\d+): (.+)$/, 'Бренд $1: $2'],
  [/^must NOT have duplicate items/, 'Не повторяйте значения', 'Choose each one only once'],
  [/^is repeated$/, 'Значение повторяется', 'This is given twice'],
  [/^must be equal to constant$/, 'Здесь возможно только одно значение', 'Only one value is possible here'],
  [/^must be one or several of (.+), separated by commas$/, 'Выберите из списка: $1', 'Choose from: $1'],
  [/^must be a whole number from (\d+) to (\d+)$/, 'Введите целое число от $1 до $2'],
  [/^must be a day \(YYYY-MM-DD\)/, 'Введите день, например 2026-12-31, или время, например 2026-12-31T12:00:00Z'],
  [/^must be a number of days, a range such as 1-3, or empty$/, 'Введите число дней или диапазон, например 1-3'],
  [/^must be 1 to (\d+) comma-separated ids$/, 'Введите id через запятую, не больше $1'],
  [/^must be up to (\d+) email addresses/, 'Введите адреса электронной почты через запятую, не больше $1'],
  [/^must be a path of the storefront, such as (\S+)$/, 'Введите путь на сайте, например $1'],
  [
    /^must be an http or https address without a slash at its end, such as (\S+), or empty$/,
    'Введите адрес, начинающийся с http(s), без косой черты в конце, например $1',
  ],
  [
    /^must be .+ of the storefront that holds .+, such as (\S+)$/,
    'Введите путь или адрес страницы сайта, содержащий {slug} или {id}, например $1',
  ],
  [
    /^must be lower-case letters/,
    'Только строчные буквы a-z и цифры, между ними одиночные дефисы; некоторые слова, например search, зарезервированы',
  ],
  [/^must have at most (\d+) bytes as JSON$/, 'Слишком длинный текст', 'This text is too long'],
  [/^must not contain credentials$/, 'Адрес не должен содержать имя и пароль', 'Leave credentials out of the address'],
  [/^must not be empty unless the attribute is ignored$/, 'Укажите название или отметьте, что атрибут не нужен'],
  [/^(must have a field to change|must contain a change)$/, 'Измените хотя бы одно поле', 'Change at least one field'],
  [/^either ids or filter must be given$/, 'Укажите либо ids, либо фильтр', 'Give ids or a filter, not both'],
  [/^contradicts the given (\S+)$/, 'Противоречит полю $1', 'This contradicts the field $1'],
  [
    /^is the supplier's; set sitePrice$/,
    'Эту цену задаёт поставщик; укажите цену сайта',
    'The supplier sets this price; enter the site’s price instead',
  ],
  [/^is the supplier's$/, 'Это значение задаёт поставщик', 'The supplier sets this'],
  [/^would exceed the largest total of an order$/, 'Слишком большая сумма заказа', 'The order’s total is too large'],
  [/^is a number that is too large$/, 'Слишком большое число', 'A number is too large'],
  [/(^|key that )contains the character U\+0000$/, 'Удалите символ U+0000', 'Remove the character U+0000'],
  [/(^|key that )contains half of a surrogate pair$/, 'Удалите повреждённый символ', 'Remove the broken character'],
  [/^is nested deeper than (\d+) levels$/, 'Вложенность больше $1 уровней', 'This has more than $1 levels'],
  [/^must name at most (\d+) attributes$/, 'Выберите не больше $1 атрибутов', 'Choose at most $1 attributes'],
  [/^(takes too long|has repetitions)/, 'Слишком сложный шаблон', 'This pattern is too large or slow'],
  [/^is not a valid RE2 expression: (.+)$/, 'Неверный шаблон: $1', 'This is not a valid pattern: $1'],
  [/^(.+) is not a product of the supplier$/, 'У поставщика нет товара $1', 'The supplier doesn’t have $1'],
  [/^the address is private or not on the public internet$/, 'Этот адрес недоступен из интернета'],
  [/^must have no placeholders but (.+)$/, 'Допустимы только подстановки $1', 'Use only these placeholders: $1'],
  [/^port (\d+) is not a web server's$/, 'Порт $1 не используется для сайтов', 'Port $1 is not a web server’s'],
  [/^must be the only file$/, 'Выберите один файл', 'Choose one file'],
  [/^The file is not a JPEG/, 'Выберите изображение JPEG, PNG, WebP, GIF или AVIF'],
  [/^The image is damaged/, 'Файл изображения повреждён или загружен не полностью'],
  [/^The image has more than (\d+) frames$/, 'В анимации больше $1 кадров'],
  [/^The image has more than (\d+) megapixels, or/, 'В изображении больше $1 мегапикселей, или оно слишком длинное'],
  [/^The file is larger than (\d+) MB$/, 'Файл больше $1 МБ'],
  [/^must be a file$/, 'Выберите файл', 'Choose a file'],
  [/^is not a complete multipart\/form-data body/, 'Файл загружен не полностью', 'The upload is incomplete'],
  [
    /^(Body (is not valid|cannot be empty)|must be JSON in UTF-8$)/,
    'Тело запроса должно быть в формате JSON, в кодировке UTF-8',
    'The body must be JSON in UTF-8',
  ],
  [/^must be percent-encoded UTF-8$/, 'Неверный адрес', 'The address is not valid'],
]

/** Why a product can't be had, with what is left. */
const UNAVAILABLE: { [reason: string]: Record<Language, string> } = {
  NOT_FOUND: { en: 'This product is no longer sold', ru: 'Этот товар больше не продаётся' },
  NO_PRICE: { en: 'This product has no price at the moment', ru: 'У этого товара сейчас нет цены' },
  INVALID_QUANTITY: { en: 'This quantity can’t be ordered', ru: 'Такое количество нельзя заказать' },
  OUT_OF_STOCK: { en: 'This product is out of stock', ru: 'Этого товара нет в наличии' },
  NOT_ENOUGH: { en: 'Only $1 left in stock', ru: 'В наличии только $1 шт.' },
}

/** The language that an Accept-Language header prefers; English if it names none of ours. */
export function chooseLanguage(header: string | undefined): Language {
  const languageOf = (tag: string) => LANGUAGES.find((one) => tag === one || tag.startsWith(`${one}-`))
  const accepted = [...readWeights(header)].filter(([, weight]) => weight > 0)
  const preferred = accepted.sort((a, b) => b[1] - a[1]).map(([tag]) => languageOf(tag))
  return preferred.find((language) => language !== undefined) ?? 'en'
}

const IS_EMPTY =
  /^(must have required property|must NOT have fewer than 1 (characters|items)|must match pattern "\[\^\\s|(must not be empty|is required)$)/

/** The fault with a sentence that a form can show beside the field (contract section 1, "Errors"). */
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
