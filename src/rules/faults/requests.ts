/** What may be wrong with a request as a whole, or with the file that it brings. */
export const REQUEST_FAULTS = {
  NOT_DECODABLE: { en: 'The address is not valid', ru: 'Неверный адрес' },
  NOT_JSON: {
    en: 'The body must be JSON in UTF-8',
    ru: 'Тело запроса должно быть в формате JSON, в кодировке UTF-8',
  },
  INCOMPLETE_BODY: { en: 'The body is incomplete', ru: 'Тело запроса получено не полностью' },
  NOT_PROTOCOL_MESSAGE: { en: '{reason}', ru: 'Неверное сообщение протокола: {reason}' },

  NO_FILE: { en: 'Choose a file', ru: 'Выберите файл' },
  SEVERAL_FILES: { en: 'Choose one file', ru: 'Выберите один файл' },
  INCOMPLETE_UPLOAD: { en: 'The upload is incomplete', ru: 'Файл загружен не полностью' },
  FILE_TOO_LARGE: { en: 'The file is larger than {max} MB', ru: 'Файл больше {max} МБ' },
  NOT_IMAGE: {
    en: 'The file is not a JPEG, PNG, WebP, GIF or AVIF image',
    ru: 'Выберите изображение JPEG, PNG, WebP, GIF или AVIF',
  },
  DAMAGED_IMAGE: {
    en: 'The image is damaged or incomplete',
    ru: 'Файл изображения повреждён или загружен не полностью',
  },
  TOO_MANY_FRAMES: { en: 'The image has more than {max} frames', ru: 'В анимации больше {max} кадров' },
  TOO_MANY_PIXELS: {
    en: 'The image has more than {megapixels} megapixels, or a side beyond {side}',
    ru: 'В изображении больше {megapixels} мегапикселей, или сторона длиннее {side}',
  },
} as const
