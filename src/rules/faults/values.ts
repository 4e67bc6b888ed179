/** What may be wrong with a value, whichever record it belongs to. */
export const VALUE_FAULTS = {
  /** Fields have sentences of their own, see sentences.ts. */
  EMPTY: { en: 'Fill in this field', ru: 'Заполните это поле' },
  UNKNOWN_FIELD: { en: 'There is no such field', ru: 'Такого поля нет' },

  NOT_TEXT: { en: 'Enter a text', ru: 'Введите текст' },
  NOT_NUMBER: { en: 'Enter a number', ru: 'Введите число' },
  NOT_INTEGER: { en: 'Enter a whole number', ru: 'Введите целое число' },
  NOT_BOOLEAN: { en: 'Choose yes (true) or no (false)', ru: 'Выберите «да» (true) или «нет» (false)' },
  NOT_LIST: { en: 'This must be a list', ru: 'Здесь нужен список' },
  NOT_OBJECT: { en: 'This must be an object', ru: 'Здесь нужен объект' },
  NOT_NULL: { en: 'This must be null', ru: 'Здесь возможно только null' },

  TOO_SHORT: { en: 'Enter at least {min} characters', ru: 'Минимальное число символов: {min}' },
  TOO_LONG: { en: 'Enter at most {max} characters', ru: 'Максимальное число символов: {max}' },
  TOO_FEW_ITEMS: { en: 'Choose at least {min}', ru: 'Выберите не меньше {min}' },
  TOO_MANY_ITEMS: { en: 'Choose at most {max}', ru: 'Выберите не больше {max}' },
  DUPLICATE_ITEMS: { en: 'Choose each one only once', ru: 'Не повторяйте значения' },
  REPEATED: { en: 'This is given twice', ru: 'Значение повторяется' },
  TOO_SMALL: { en: 'The smallest value is {min}', ru: 'Наименьшее значение: {min}' },
  TOO_LARGE: { en: 'The largest value is {max}', ru: 'Наибольшее значение: {max}' },
  NOT_ABOVE: { en: 'Enter a number above {limit}', ru: 'Введите число больше {limit}' },
  TOO_MANY_DECIMALS: { en: 'Enter at most two decimals', ru: 'Введите не больше двух знаков после запятой' },
  NOT_ONE_OF: { en: 'Choose one of: {values}', ru: 'Выберите одно из: {values}' },
  NOT_THE_CONSTANT: { en: 'Only one value is possible here', ru: 'Здесь возможно только одно значение' },

  WRONG_FORM: { en: 'This is not in the right form', ru: 'Неверный формат' },
  NOT_DATE: { en: 'Enter a date, such as 2026-12-31', ru: 'Введите дату, например 2026-12-31' },
  NOT_TIMESTAMP: {
    en: 'Enter a date and a time, such as 2026-12-31T12:00:00Z',
    ru: 'Введите дату и время, например 2026-12-31T12:00:00Z',
  },
  NOT_EMAIL: {
    en: 'Enter an email address, such as name@example.com',
    ru: 'Укажите адрес электронной почты, например name@example.com',
  },
  TOO_FEW_DIGITS: {
    en: 'Enter a phone number with at least {min} digits',
    ru: 'Укажите телефон; минимальное число цифр: {min}',
  },
  PASSWORD_TOO_LONG: { en: 'Choose a shorter password', ru: 'Выберите пароль покороче' },
  NOT_URL: { en: 'Enter an http(s) address', ru: 'Введите адрес, начинающийся с http(s)' },
  NOT_LINK: {
    en: 'Must be a path in the shop (/…) or an http(s) URL',
    ru: 'Введите путь в магазине (/…) или адрес, начинающийся с http(s)',
  },
  NOT_SLUG: {
    en: 'Must be lower-case letters a-z and digits, with single dashes between them, and no reserved word',
    ru: 'Только строчные буквы a-z и цифры, между ними одиночные дефисы; некоторые слова, например search, зарезервированы',
  },
  NOT_SETTING_KEY: {
    en: 'Use Latin letters, digits, dots, hyphens and underscores, a letter first',
    ru: 'Только латинские буквы, цифры, точки, дефисы и подчёркивания, первой — буква',
  },

  DOCUMENT_TOO_LONG: { en: 'This text is too long', ru: 'Слишком длинный текст' },
  NULL_CHARACTER: { en: 'Remove the character U+0000', ru: 'Удалите символ U+0000' },
  HALF_CHARACTER: { en: 'Remove the broken character', ru: 'Удалите повреждённый символ' },
  NUMBER_TOO_LARGE: { en: 'A number is too large', ru: 'Слишком большое число' },
  TOO_DEEP: { en: 'This has more than {max} levels', ru: 'Вложенность больше {max} уровней' },

  NOT_SORT: {
    en: 'Must be one of {fields}, alone or followed by ,asc or ,desc',
    ru: 'Сортируйте по одному из полей: {fields}; после него можно указать ,asc или ,desc',
  },
  NOT_ID_LIST: { en: 'Must be 1 to {max} comma-separated ids', ru: 'Введите id через запятую, не больше {max}' },
  NOT_WORD_LIST: { en: 'Choose from: {words}', ru: 'Выберите из списка: {words}' },
  NOT_MOMENT: {
    en: 'Must be a day (YYYY-MM-DD) or an ISO timestamp',
    ru: 'Введите день, например 2026-12-31, или время, например 2026-12-31T12:00:00Z',
  },
} as const
