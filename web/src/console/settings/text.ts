import { texts } from '../../ui/texts.ts'
import { withCommon } from '../text.ts'

export const t = withCommon({
  hint: ['A change takes effect at once, on every instance.', 'Изменения действуют сразу.'],
  groups: texts({
    SHOP: ['Shop', 'Магазин'],
    SEO: ['Search engines', 'Поисковики'],
    CATALOGUE: ['Catalogue', 'Каталог'],
    ORDERS: ['Orders', 'Заказы'],
    CONTACTS: ['Contact requests', 'Обращения'],
    MAILS: ['Mails', 'Письма'],
    FEEDS: ['Feeds', 'Фиды'],
    SUPPLIER: ['Supplier', 'Поставщик'],
    JOBS: ['Jobs', 'Задания'],
    OTHER: ['Other', 'Прочее'],
  }),
  default: [(value: string) => `Default: ${value}`, (value: string) => `По умолчанию: ${value}`],
  public: ['Everyone may read it', 'Её может прочитать каждый'],
  find: ['Name or description', 'Название или описание'],
  range: [
    (min: number | null, max: number | null) => `From ${min ?? '−∞'} to ${max ?? '∞'}`,
    (min: number | null, max: number | null) => `От ${min ?? '−∞'} до ${max ?? '∞'}`,
  ],
  nothing: ['No settings match.', 'Таких настроек нет.'],
  methods: ['Ways of delivery', 'Способы доставки'],
  methodsHint: [
    'Customers choose one of these, in this order. Without any they write what they like.',
    'Покупатель выбирает один из них, в этом порядке. Если их нет, пишет сам.',
  ],
  method: ['Method', 'Способ'],
  freeFrom: ['Free from', 'Бесплатно от'],
  never: ['never', 'никогда'],
  raise: ['Move up', 'Поднять'],
  addMethod: ['Add a method', 'Добавить способ'],
  save: ['Save changes', 'Сохранить изменения'],
})
