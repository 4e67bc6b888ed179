import { t } from './text.ts'
import type { Permission } from './user.ts'

type Entry = { to: string; label: string; permission?: Permission }

const MENU: readonly { label?: string; entries: readonly Entry[] }[] = [
  { entries: [{ to: '/', label: t.desk }] },
  {
    label: t.sales,
    entries: [
      { to: '/orders', label: t.orders, permission: 'orders' },
      { to: '/contacts', label: t.contacts, permission: 'contacts' },
    ],
  },
  {
    label: t.catalogue,
    entries: [
      { to: '/products', label: t.products, permission: 'products' },
      { to: '/categories', label: t.categories, permission: 'categories' },
      { to: '/brands', label: t.brands, permission: 'products' },
      { to: '/tags', label: t.tags, permission: 'content' },
      { to: '/attributes', label: t.attributes, permission: 'products' },
    ],
  },
  {
    label: t.content,
    entries: [
      { to: '/banners', label: t.banners, permission: 'content' },
      { to: '/features', label: t.features, permission: 'content' },
      { to: '/reviews', label: t.reviews, permission: 'content' },
      { to: '/images', label: t.images, permission: 'content' },
    ],
  },
  {
    label: t.running,
    entries: [
      { to: '/dashboard', label: t.dashboard, permission: 'operations' },
      { to: '/sync', label: t.sync, permission: 'operations' },
      { to: '/scraping', label: t.scraping, permission: 'operations' },
      { to: '/pipeline', label: t.pipeline, permission: 'operations' },
      { to: '/jobs', label: t.jobs, permission: 'operations' },
      { to: '/alerts', label: t.alerts, permission: 'operations' },
      { to: '/mails', label: t.mails, permission: 'operations' },
      { to: '/webhooks', label: t.webhooks, permission: 'operations' },
    ],
  },
  {
    label: t.administration,
    entries: [
      { to: '/users', label: t.users, permission: 'users' },
      { to: '/api-keys', label: t.apiKeys, permission: 'apiKeys' },
      { to: '/settings', label: t.settings, permission: 'settings' },
      { to: '/licence', label: t.licence, permission: 'licence.read' },
      { to: '/privacy', label: t.privacy, permission: 'users' },
      { to: '/audit', label: t.audit, permission: 'operations' },
    ],
  },
]

/** The pages of the menu that the role may see. */
export function menuOf(permissions: readonly Permission[]) {
  const mayShow = ({ permission }: Entry) => permission === undefined || permissions.includes(permission)
  return MENU.map(({ label = '', entries }) => ({ label, entries: entries.filter(mayShow) })).filter(
    ({ entries }) => entries.length > 0,
  )
}
