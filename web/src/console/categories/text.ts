import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  none: [
    'No categories. They come with the supplier’s catalogue, or add one.',
    'Категорий нет. Они приходят с каталогом поставщика; можно добавить свою.',
  ],
  newCategory: ['New category', 'Новая категория'],
  hint: [
    'Drag a category to move it. By keyboard: → to its handle, Enter, the arrow keys, Enter.',
    'Перетащите категорию. С клавиатуры: → до её ручки, Enter, стрелки, Enter.',
  ],
  drag: ['Move', 'Переместить'],
  expand: ['Expand', 'Раскрыть'],
  products: [(count: string) => `${count} products`, (count: string) => `товаров: ${count}`],
  hidden: ['Hidden', 'Скрыта'],
  autoHidden: ['Hidden by a rule', 'Скрыта правилом'],
  parent: ['Parent', 'Родитель'],
  top: ['None: at the top', 'Нет: наверху'],
  enabled: ['Shown in the shop', 'Показана в магазине'],
  showInHomepage: ['On the home page', 'На главной странице'],
  locked: ['The XML feed doesn’t change it', 'XML-фид её не меняет'],
  hiddenReason: ['Why it is hidden', 'Почему скрыта'],
  choose: ['Choose a category on the left.', 'Выберите категорию слева.'],
  showProducts: ['Show its products', 'Показать её товары'],
  hideUnused: ['Hide unused', 'Скрыть пустые'],
  hideUnusedExplained: [
    'Categories without an active product in their whole tree:',
    'Категории, во всём дереве которых нет активных товаров:',
  ],
  nothingUnused: ['Every category has active products.', 'В каждой категории есть активные товары.'],
  hide: [(count: string) => `Hide ${count}`, (count: string) => `Скрыть: ${count}`],
  filters: ['Rules that hide categories', 'Правила, скрывающие категории'],
  noFilters: [
    'No rules. A rule hides the categories whose name or path matches a pattern.',
    'Правил нет. Правило скрывает категории, название или путь которых подходит под образец.',
  ],
  newFilter: ['New rule', 'Новое правило'],
  pattern: ['Pattern (regular expression)', 'Образец (регулярное выражение)'],
  target: ['Compared with', 'Сравнивать с'],
  targets: texts({
    name: ['the name', 'названием'],
    path: ['the path', 'путём'],
  }),
  test: ['Try', 'Проверить'],
  wouldHide: [(count: string) => `It would hide ${count}:`, (count: string) => `Скроет ${count}:`],
  wouldHideNone: ['It would hide none.', 'Не скроет ни одной.'],
})
