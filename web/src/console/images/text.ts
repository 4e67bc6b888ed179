import { withCommon } from '../text.ts'

export const t = withCommon({
  upload: ['Upload pictures', 'Загрузить картинки'],
  sent: [(share: string) => `Uploading: ${share} %`, (share: string) => `Отправлено ${share} %`],
  unused: ['Unused only', 'Только неиспользуемые'],
  searchHint: ['File name', 'Имя файла'],
  none: [
    'No pictures match. Upload some: JPEG, PNG, WebP, GIF or AVIF.',
    'Таких картинок нет. Загрузите новые: JPEG, PNG, WebP, GIF или AVIF.',
  ],
  usedBy: ['Used by', 'Где используется'],
  notUsed: ['Not used', 'Не используется'],
  replace: ['Replace', 'Заменить'],
  replaced: [
    'Replaced; everything that shows the picture shows the new one',
    'Заменено: новая картинка показана везде, где была прежняя',
  ],
  removeUsed: [
    (count: number) => `${count} records show it; they will lose the picture.`,
    (count: number) => `Она показана в ${count} записях; они останутся без картинки.`,
  ],
  newest: ['Newest first', 'Сначала новые'],
  byName: ['By name', 'По имени'],
  largest: ['Largest first', 'Сначала большие'],
  sort: ['Sort', 'Порядок'],
  choose: ['Choose a picture', 'Выбрать картинку'],
  noPicture: ['No picture', 'Без картинки'],
  uploadNew: ['Upload', 'Загрузить'],
})
