import { language } from '../../ui/language.ts'

const en = {
  hint: 'A change takes effect at once, on every instance.',
  groups: {
    SHOP: 'Shop',
    SEO: 'Search engines',
    CATALOGUE: 'Catalogue',
    ORDERS: 'Orders',
    CONTACTS: 'Contact requests',
    MAILS: 'Mails',
    FEEDS: 'Feeds',
    SUPPLIER: 'Supplier',
    JOBS: 'Jobs',
    OTHER: 'Other',
  },
  default: (value: string) => `Default: ${value}`,
  public: 'Everyone may read it',
  find: 'Name or description',
  range: (min: number | null, max: number | null) => `From ${min ?? '−∞'} to ${max ?? '∞'}`,
  nothing: 'No settings match.',
  save: 'Save changes',
}

const ru: typeof en = {
  hint: 'Изменения действуют сразу.',
  groups: {
    SHOP: 'Магазин',
    SEO: 'Поисковики',
    CATALOGUE: 'Каталог',
    ORDERS: 'Заказы',
    CONTACTS: 'Обращения',
    MAILS: 'Письма',
    FEEDS: 'Фиды',
    SUPPLIER: 'Поставщик',
    JOBS: 'Задания',
    OTHER: 'Прочее',
  },
  default: (value) => `По умолчанию: ${value}`,
  public: 'Её может прочитать каждый',
  find: 'Название или описание',
  range: (min, max) => `От ${min ?? '−∞'} до ${max ?? '∞'}`,
  nothing: 'Таких настроек нет.',
  save: 'Сохранить изменения',
}

export const t = language === 'ru' ? ru : en
