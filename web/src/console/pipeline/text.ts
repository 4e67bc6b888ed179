import { language } from '../../ui/language.ts'

const en = {
  run: 'Read the feed now',
  dryRun: 'Try without changes',
  dry: 'tried',
  history: 'Runs',
  none: 'No runs yet. Without XML_FEED_URL there is no feed to read.',
  stages: {
    DOWNLOAD: 'Download',
    PARSE: 'Parse',
    SNAPSHOT: 'Snapshot',
    CATEGORY_MAPPING: 'Categories',
    ATTRIBUTES: 'Attributes',
    IMAGE_QUEUE: 'Pictures',
  },
  retry: 'Go on from the failed stage',
  categories: 'Categories of the feed',
  categoriesHint: 'A mapped category gets the feed’s name and place.',
  noCategories: 'No feed has been read yet.',
  feedCategory: 'In the feed',
  offers: 'Offers',
  ours: 'Ours',
  notMapped: 'Not mapped',
}

const ru: typeof en = {
  run: 'Прочитать фид',
  dryRun: 'Попробовать без изменений',
  dry: 'проба',
  history: 'Запуски',
  none: 'Запусков ещё не было. Без XML_FEED_URL читать нечего.',
  stages: {
    DOWNLOAD: 'Загрузка',
    PARSE: 'Разбор',
    SNAPSHOT: 'Снимок',
    CATEGORY_MAPPING: 'Категории',
    ATTRIBUTES: 'Характеристики',
    IMAGE_QUEUE: 'Картинки',
  },
  retry: 'Продолжить с места сбоя',
  categories: 'Категории фида',
  categoriesHint: 'Связанная категория получает название и место из фида.',
  noCategories: 'Фид ещё не читали.',
  feedCategory: 'В фиде',
  offers: 'Предложения',
  ours: 'У нас',
  notMapped: 'Не связана',
}

export const t = language === 'ru' ? ru : en
