/** Languages of the sentences that forms show (contract section 1, "Errors"). */
export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

/** What a form asks for where a field is missing or empty, by the field's name. */
export const EMPTY: { [field: string]: Record<Language, string> } = {
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
export const EMPTY_FIELD: Record<Language, string> = { en: 'Fill in this field', ru: 'Заполните это поле' }

/** Sentences for what validators and services say, which is short and in English. */
export const SENTENCES: [pattern: RegExp, en: string, ru: string][] = [
  [
    /^must (?:NOT have fewer than|have at least) (\d+) characters$/,
    'Enter at least $1 characters',
    'Минимальное число символов: $1',
  ],
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
  [/^must be > (\S+)$/, 'Enter a number above $1', 'Введите число больше $1'],
  [/^must be <= (\S+)$/, 'The largest value is $1', 'Наибольшее значение: $1'],
  [/^must add up to at most (\d+)$/, 'The largest quantity is $1', 'Наибольшее количество: $1'],
  [/^must (be integer|match format "int64")/, 'Enter a whole number', 'Введите целое число'],
  [/^(must be number|must be a finite number)/, 'Enter a number', 'Введите число'],
  [
    /^must have at most two decimals$/,
    'Enter at most two decimals',
    'Введите не больше двух знаков после запятой',
  ],
  [/^must be string/, 'Enter a text', 'Введите текст'],
  [/^must NOT have additional properties$/, 'There is no such field', 'Такого поля нет'],
  [/^must be boolean/, 'Choose yes (true) or no (false)', 'Выберите «да» (true) или «нет» (false)'],
  [/^must be array/, 'This must be a list', 'Здесь нужен список'],
  [/^must be object/, 'This must be an object', 'Здесь нужен объект'],
  [
    /^must be one of (.+), alone or followed by ,asc or ,desc$/,
    'Sort by one of: $1, alone or followed by ,asc or ,desc',
    'Сортируйте по одному из полей: $1; после него можно указать ,asc или ,desc',
  ],
  [/^must be one of (.+)$/, 'Choose one of: $1', 'Выберите одно из: $1'],
  [/^must match format "date"$/, 'Enter a date, such as 2026-12-31', 'Введите дату, например 2026-12-31'],
  [
    /^must match format "date-time"$/,
    'Enter a date and a time, such as 2026-12-31T12:00:00Z',
    'Введите дату и время, например 2026-12-31T12:00:00Z',
  ],
  [/^(must match (pattern|format)|is not valid$)/, 'This is not in the right form', 'Неверный формат'],
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
    /^(refers to a record that does not exist|there is no such |is not a product$)/,
    'There is no such record',
    'Такой записи нет',
  ],
  [/^must NOT have duplicate items/, 'Choose each one only once', 'Не повторяйте значения'],
  [/^is repeated$/, 'This is given twice', 'Значение повторяется'],
  [/^is already in row (\d+)$/, 'Row $1 has this id too', 'Тот же id в строке $1'],
  [/^must be equal to constant$/, 'Only one value is possible here', 'Здесь возможно только одно значение'],
  [/^must be one or several of (.+), separated by commas$/, 'Choose from: $1', 'Выберите из списка: $1'],
  [
    /^must be a whole number from (\d+) to (\d+)$/,
    'Enter a whole number from $1 to $2',
    'Введите целое число от $1 до $2',
  ],
  [/^must be a day from (\S+) to (\S+)$/, 'Enter a day from $1 to $2', 'Введите день от $1 до $2'],
  [
    /^must be a day \(YYYY-MM-DD\) or an ISO timestamp$/,
    'Enter a day, such as 2026-12-31, or a time, such as 2026-12-31T12:00:00Z',
    'Введите день, например 2026-12-31, или время, например 2026-12-31T12:00:00Z',
  ],
  [
    /^must be a number of days, a range such as 1-3, or empty$/,
    'Enter a number of days or a range, such as 1-3',
    'Введите число дней или диапазон, например 1-3',
  ],
  [
    /^must be 1 to (\d+) comma-separated ids$/,
    'Enter ids separated by commas, at most $1',
    'Введите id через запятую, не больше $1',
  ],
  [
    /^must be up to (\d+) email addresses, separated by commas$/,
    'Enter email addresses separated by commas, at most $1',
    'Введите адреса электронной почты через запятую, не больше $1',
  ],
  [
    /^must be a path of the storefront, such as (\S+)$/,
    'Enter a path of the storefront, such as $1',
    'Введите путь на сайте, например $1',
  ],
  [
    /^must be an http or https address without a slash at its end, such as (\S+), or empty$/,
    'Enter an http(s) address without a slash at its end, such as $1',
    'Введите адрес, начинающийся с http(s), без косой черты в конце, например $1',
  ],
  [
    /^must be a path or an address of the storefront that holds (.+), such as (\S+)$/,
    'Enter a path or an address of the storefront with $1, such as $2',
    'Введите путь или адрес страницы сайта, содержащий {slug} или {id}, например $2',
  ],
  [
    /^must be false: this setting is for staff$/,
    'This setting is for staff and can’t be public',
    'Это служебная настройка, её нельзя сделать публичной',
  ],
  [
    /^(is reserved|is the path of the public settings|is a path segment that clients resolve)$/,
    'This word is reserved',
    'Это слово зарезервировано',
  ],
  [
    /^must be lower-case letters a-z and digits, with single dashes between them$/,
    'Use lower-case letters a-z and digits, with single dashes between them',
    'Только строчные буквы a-z и цифры, между ними одиночные дефисы',
  ],
  [/^must have (\d+) to (\d+) characters$/, 'Enter $1 to $2 characters', 'Число символов: от $1 до $2'],
  [/^must have at most (\d+) bytes as JSON$/, 'This text is too long', 'Слишком длинный текст'],
  [
    /^must not contain credentials$/,
    'Leave credentials out of the address',
    'Адрес не должен содержать имя и пароль',
  ],
  [
    /^must not be empty unless the attribute is ignored$/,
    'Enter a name, or ignore the attribute',
    'Укажите название или отметьте, что атрибут не нужен',
  ],
  [
    /^(must have a field to change|must contain a change)$/,
    'Change at least one field',
    'Измените хотя бы одно поле',
  ],
  [/^either ids or filter must be given$/, 'Give either ids or a filter', 'Укажите либо ids, либо фильтр'],
  [/^contradicts the given (\S+)$/, 'This contradicts the field $1', 'Противоречит полю $1'],
  [/^is also added$/, 'This is also added', 'Одновременно добавляется'],
  [
    /^is the supplier's; set sitePrice$/,
    'The supplier sets this price; enter the site’s price instead',
    'Эту цену задаёт поставщик; укажите цену сайта',
  ],
  [/^is the supplier's$/, 'The supplier sets this', 'Это значение задаёт поставщик'],
  [
    /^would exceed the largest total of an order$/,
    'The order’s total is too large',
    'Слишком большая сумма заказа',
  ],
  [/^contains a number that is too large$/, 'A number is too large', 'Слишком большое число'],
  [/(^|key that )contains the character U\+0000$/, 'Remove the character U+0000', 'Удалите символ U+0000'],
  [
    /(^|key that )contains half of a surrogate pair$/,
    'Remove the broken character',
    'Удалите повреждённый символ',
  ],
  [/^is nested deeper than (\d+) levels$/, 'This has more than $1 levels', 'Вложенность больше $1 уровней'],
  [/^must name at most (\d+) attributes$/, 'Choose at most $1 attributes', 'Выберите не больше $1 атрибутов'],
  [/^must also name (.+)$/, 'These are missing: $1', 'Не хватает: $1'],
  [/^must not name (.+): not right below that parent$/, 'These don’t belong here: $1', 'Лишние здесь: $1'],
  [
    /^(takes too long to compare|has repetitions that make it too large)$/,
    'This pattern is too large or slow',
    'Слишком сложный шаблон',
  ],
  [
    /^uses lookahead or lookbehind/,
    'This pattern uses lookahead or lookbehind',
    'Шаблон содержит просмотр вперёд или назад',
  ],
  [/^is not a valid RE2 expression: (.+)$/, 'This is not a valid pattern: $1', 'Неверный шаблон: $1'],
  [/^(.+) is not a product of the supplier$/, 'The supplier doesn’t have $1', 'У поставщика нет товара $1'],
  [
    /^the address is private or not on the public internet$/,
    'This address is not on the public internet',
    'Этот адрес недоступен из интернета',
  ],
  [
    /^must have no placeholders but (.+)$/,
    'Use only these placeholders: $1',
    'Допустимы только подстановки $1',
  ],
  [
    /^port (\d+) is not a web server's$/,
    'Port $1 is not a web server’s',
    'Порт $1 не используется для сайтов',
  ],
  [/^must be the only file$/, 'Choose one file', 'Выберите один файл'],
  [/^must be a file$/, 'Choose a file', 'Выберите файл'],
  [/^is not a complete multipart\/form-data body/, 'The upload is incomplete', 'Файл загружен не полностью'],
  [
    /^(Body (is not valid|cannot be empty)|must be JSON in UTF-8$)/,
    'The body must be JSON in UTF-8',
    'Тело запроса должно быть в формате JSON, в кодировке UTF-8',
  ],
  [/^must be percent-encoded UTF-8$/, 'The address is not valid', 'Неверный адрес'],
]

/** Why a product can't be had, with what is left. */
export const UNAVAILABLE: { [reason: string]: Record<Language, string> } = {
  NOT_FOUND: { en: 'This product is no longer sold', ru: 'Этот товар больше не продаётся' },
  NO_PRICE: { en: 'This product has no price at the moment', ru: 'У этого товара сейчас нет цены' },
  INVALID_QUANTITY: { en: 'This quantity can’t be ordered', ru: 'Такое количество нельзя заказать' },
  OUT_OF_STOCK: { en: 'This product is out of stock', ru: 'Этого товара нет в наличии' },
  NOT_ENOUGH: { en: 'Only $1 left in stock', ru: 'В наличии только $1 шт.' },
}
