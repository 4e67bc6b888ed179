import { language } from '../../ui/language.ts'

const en = {
  upload: 'Upload pictures',
  sent: (share: string) => `Uploading: ${share} %`,
  unused: 'Unused only',
  searchHint: 'File name',
  none: 'No pictures match. Upload some: JPEG, PNG, WebP, GIF or AVIF.',
  usedBy: 'Used by',
  notUsed: 'Not used',
  replace: 'Replace',
  replaced: 'Replaced; everything that shows the picture shows the new one',
  removeUsed: (count: number) => `${count} records show it; they will lose the picture.`,
  newest: 'Newest first',
  byName: 'By name',
  largest: 'Largest first',
  sort: 'Sort',
  choose: 'Choose a picture',
  noPicture: 'No picture',
  uploadNew: 'Upload',
}

const ru: typeof en = {
  upload: 'Загрузить картинки',
  sent: (share) => `Отправлено ${share} %`,
  unused: 'Только неиспользуемые',
  searchHint: 'Имя файла',
  none: 'Таких картинок нет. Загрузите новые: JPEG, PNG, WebP, GIF или AVIF.',
  usedBy: 'Где используется',
  notUsed: 'Не используется',
  replace: 'Заменить',
  replaced: 'Заменено: новая картинка показана везде, где была прежняя',
  removeUsed: (count) => `Она показана в ${count} записях; они останутся без картинки.`,
  newest: 'Сначала новые',
  byName: 'По имени',
  largest: 'Сначала большие',
  sort: 'Порядок',
  choose: 'Выбрать картинку',
  noPicture: 'Без картинки',
  uploadNew: 'Загрузить',
}

export const t = language === 'ru' ? ru : en
