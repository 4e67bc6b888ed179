import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  run: ['Read the feed now', 'Прочитать фид'],
  dryRun: ['Try without changes', 'Попробовать без изменений'],
  dry: ['tried', 'проба'],
  none: [
    'No runs yet. Without XML_FEED_URL there is no feed to read.',
    'Запусков ещё не было. Без XML_FEED_URL читать нечего.',
  ],
  stages: texts({
    DOWNLOAD: ['Download', 'Загрузка'],
    PARSE: ['Parse', 'Разбор'],
    SNAPSHOT: ['Snapshot', 'Снимок'],
    CATEGORY_MAPPING: ['Categories', 'Категории'],
    ATTRIBUTES: ['Attributes', 'Характеристики'],
    IMAGE_QUEUE: ['Pictures', 'Картинки'],
  }),
  retry: ['Go on from the failed stage', 'Продолжить с места сбоя'],
  snapshots: ['Snapshots of the feed', 'Снимки фида'],
  size: ['Size', 'Размер'],
  differences: ['Differences', 'Отличия'],
  kinds: texts({
    changed: ['Changed', 'Изменились'],
    new: ['New', 'Новые'],
    gone: ['Gone', 'Исчезли'],
  }),
  firstSnapshot: ['There is none before it, so all offers are new.', 'Предыдущего нет, поэтому все предложения новые.'],
  unchanged: [(count: string) => `Unchanged: ${count}`, (count: string) => `Без изменений: ${count}`],
  nothing: ['None.', 'Нет.'],
  priceBefore: ['Price before', 'Цена прежде'],
  firstOf: [
    (shown: string, total: string) => `The first ${shown} of ${total}`,
    (shown: string, total: string) => `Первые ${shown} из ${total}`,
  ],
  categories: ['Categories of the feed', 'Категории фида'],
  categoriesHint: [
    'A mapped category gets the feed’s name and place.',
    'Связанная категория получает название и место из фида.',
  ],
  noCategories: ['No feed has been read yet.', 'Фид ещё не читали.'],
  feedCategory: ['In the feed', 'В фиде'],
  offers: ['Offers', 'Предложения'],
  ours: ['Ours', 'У нас'],
  notMapped: ['Not mapped', 'Не связана'],
})
