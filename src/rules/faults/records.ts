/** What the shop's rules may refuse in a record. */
export const RECORD_FAULTS = {
  NO_RECORD: { en: 'There is no such record', ru: 'Такой записи нет' },
  NO_CHANGE: { en: 'Change at least one field', ru: 'Измените хотя бы одно поле' },
  CONTRADICTION: { en: 'This contradicts the field {field}', ru: 'Противоречит полю {field}' },
  NOT_IN_FUTURE: { en: 'Choose a time in the future', ru: 'Выберите время в будущем' },
  NOT_AFTER_BEGINNING: { en: 'Choose a time after the beginning', ru: 'Выберите время позже начала' },
  BEFORE_FIRST_DAY: { en: 'Choose a day that is not before the first', ru: 'Выберите день не раньше первого' },
  WRONG_CODE: { en: 'This code is wrong, or was used before', ru: 'Код неверен или уже использован' },
  WRONG_PASSWORD: { en: 'This is not your current password', ru: 'Текущий пароль указан неверно' },

  IDS_OR_FILTER: {
    en: 'Give ids, a filter or all: true, and only one of them',
    ru: 'Укажите что-то одно: ids, фильтр или all: true',
  },
  FILTER_OF_ALL: {
    en: 'Narrow the filter, or give all: true in its place',
    ru: 'Уточните фильтр или укажите вместо него all: true',
  },
  TOO_MANY_ATTRIBUTES: { en: 'Choose at most {max} attributes', ru: 'Выберите не больше {max} атрибутов' },
  ATTRIBUTE_WITHOUT_NAME: {
    en: 'Must not be empty unless the attribute is ignored',
    ru: 'Укажите название или отметьте, что атрибут не нужен',
  },
  PRICE_OF_SUPPLIER: {
    en: 'The supplier sets this price; enter the site’s price instead',
    ru: 'Эту цену задаёт поставщик; укажите цену сайта',
  },
  VALUE_OF_SUPPLIER: { en: 'The supplier sets this', ru: 'Это значение задаёт поставщик' },
  NOT_OF_SUPPLIER: { en: 'The supplier doesn’t have {name}', ru: 'У поставщика нет товара {name}' },
  TOTAL_TOO_LARGE: { en: 'The order’s total is too large', ru: 'Слишком большая сумма заказа' },
  NOT_PATTERN: { en: 'This is not a valid pattern: {reason}', ru: 'Неверный шаблон: {reason}' },
  PATTERN_TOO_SLOW: { en: 'This pattern is too large or slow', ru: 'Слишком сложный шаблон' },

  USED_BY_PRODUCT: { en: 'Product {id}: {name}', ru: 'Товар {id}: {name}' },
  USED_BY_BANNER: { en: 'Banner {id}: {name}', ru: 'Баннер {id}: {name}' },
  USED_BY_FEATURE: { en: 'Feature {id}: {name}', ru: 'Преимущество {id}: {name}' },
  USED_BY_BRAND: { en: 'Brand {id}: {name}', ru: 'Бренд {id}: {name}' },

  CREDENTIALS_IN_URL: {
    en: 'Leave credentials out of the address',
    ru: 'Адрес не должен содержать имя и пароль',
  },
  PRIVATE_ADDRESS: {
    en: 'The address is private or not on the public internet',
    ru: 'Этот адрес недоступен из интернета',
  },
  NOT_WEB_PORT: { en: 'Port {port} is not a web server’s', ru: 'Порт {port} не используется для сайтов' },

  NOT_WHOLE_NUMBER_BETWEEN: {
    en: 'Must be a whole number from {min} to {max}',
    ru: 'Введите целое число от {min} до {max}',
  },
  NOT_DAY_RANGE: {
    en: 'Must be a number of days, a range such as 1-3, or empty',
    ru: 'Введите число дней или диапазон, например 1-3',
  },
  NOT_DELIVERY_METHODS: {
    en: 'Must be a JSON list of delivery methods with different codes, such as {example}',
    ru: 'Введите список способов доставки с разными кодами в виде JSON, например {example}',
  },
  NOT_DELIVERY_CODE: {
    en: 'Use at most 50 Latin letters, digits, hyphens and underscores',
    ru: 'Не больше 50 латинских букв, цифр, дефисов и подчёркиваний',
  },
  NOT_CONTACT: {
    en: 'Must be an email address or an https:// address',
    ru: 'Введите адрес электронной почты или страницы (https://)',
  },
  NOT_EMAIL_LIST: {
    en: 'Must be up to {max} email addresses, separated by commas',
    ru: 'Введите адреса электронной почты через запятую, не больше {max}',
  },
  UNKNOWN_PLACEHOLDER: { en: 'Use only these placeholders: {known}', ru: 'Допустимы только подстановки {known}' },
  NOT_PAGE_PATH: {
    en: 'Must be a path of the storefront, such as {example}',
    ru: 'Введите путь на сайте, например {example}',
  },
  NOT_PAGE_PATTERN: {
    en: 'Must be a path or an address of the storefront that holds {either} or {or}, such as {example}',
    ru: 'Введите путь или адрес страницы сайта, содержащий {either} или {or}, например {example}',
  },
  NOT_BASE_URL: {
    en: 'Must be an http or https address without a slash at its end, such as {example}, or empty',
    ru: 'Введите адрес, начинающийся с http(s), без косой черты в конце, например {example}',
  },
} as const

/** Why a product can't be had, by the reason that the API gives. */
export const UNAVAILABLE_FAULTS = {
  NOT_FOUND: { en: 'This product is no longer sold', ru: 'Этот товар больше не продаётся' },
  NO_PRICE: { en: 'This product has no price at the moment', ru: 'У этого товара сейчас нет цены' },
  INVALID_QUANTITY: {
    en: 'Order at most {availableQuantity} pieces',
    ru: 'Можно заказать не больше {availableQuantity} шт.',
  },
  OUT_OF_STOCK: { en: 'This product is out of stock', ru: 'Этого товара нет в наличии' },
  NOT_ENOUGH: { en: 'Only {availableQuantity} left in stock', ru: 'В наличии только {availableQuantity} шт.' },
} as const
