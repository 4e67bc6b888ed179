import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent } from '@tanstack/react-router'
import { parseSearch, readFilters, stringifySearch } from '../ui/filters.ts'
import { FailureNote } from '../ui/loaded.tsx'
import { Layout } from './layout.tsx'
import { t } from './text.ts'

const root = createRootRoute({
  component: Layout,
  validateSearch: readFilters,
  notFoundComponent: () => (
    <>
      <h1>{t.noPage}</h1>
      <p>{t.noPageExplained}</p>
      <Link to="/">{t.toDesk}</Link>
    </>
  ),
})
const getParentRoute = () => root

const desk = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./desk/desk.tsx'), 'Desk'),
})
const orders = createRoute({
  getParentRoute,
  path: '/orders',
  component: lazyRouteComponent(() => import('./orders/list.tsx'), 'OrderList'),
})
const ordersNew = createRoute({
  getParentRoute,
  path: '/orders/new',
  component: lazyRouteComponent(() => import('./orders/new.tsx'), 'NewOrder'),
})
const ordersId = createRoute({
  getParentRoute,
  path: '/orders/$id',
  component: lazyRouteComponent(() => import('./orders/order.tsx'), 'OrderPage'),
})
const contacts = createRoute({
  getParentRoute,
  path: '/contacts',
  component: lazyRouteComponent(() => import('./contacts/list.tsx'), 'ContactList'),
})
const contactsId = createRoute({
  getParentRoute,
  path: '/contacts/$id',
  component: lazyRouteComponent(() => import('./contacts/contact.tsx'), 'ContactPage'),
})
const products = createRoute({
  getParentRoute,
  path: '/products',
  component: lazyRouteComponent(() => import('./products/list.tsx'), 'ProductList'),
})
const productsId = createRoute({
  getParentRoute,
  path: '/products/$id',
  component: lazyRouteComponent(() => import('./products/product.tsx'), 'ProductPage'),
})
const categories = createRoute({
  getParentRoute,
  path: '/categories',
  component: lazyRouteComponent(() => import('./categories/categories.tsx'), 'Categories'),
})
const brands = createRoute({
  getParentRoute,
  path: '/brands',
  component: lazyRouteComponent(() => import('./brands/brands.tsx'), 'Brands'),
})
const tags = createRoute({
  getParentRoute,
  path: '/tags',
  component: lazyRouteComponent(() => import('./tags/tags.tsx'), 'Tags'),
})
const attributes = createRoute({
  getParentRoute,
  path: '/attributes',
  component: lazyRouteComponent(() => import('./attributes/attributes.tsx'), 'Attributes'),
})
const banners = createRoute({
  getParentRoute,
  path: '/banners',
  component: lazyRouteComponent(() => import('./banners/banners.tsx'), 'Banners'),
})
const features = createRoute({
  getParentRoute,
  path: '/features',
  component: lazyRouteComponent(() => import('./features/features.tsx'), 'Features'),
})
const reviews = createRoute({
  getParentRoute,
  path: '/reviews',
  component: lazyRouteComponent(() => import('./reviews/reviews.tsx'), 'Reviews'),
})
const images = createRoute({
  getParentRoute,
  path: '/images',
  component: lazyRouteComponent(() => import('./images/images.tsx'), 'Images'),
})
const dashboard = createRoute({
  getParentRoute,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('./dashboard/dashboard.tsx'), 'Dashboard'),
})
const sync = createRoute({
  getParentRoute,
  path: '/sync',
  component: lazyRouteComponent(() => import('./sync/sync.tsx'), 'Sync'),
})
const scraping = createRoute({
  getParentRoute,
  path: '/scraping',
  component: lazyRouteComponent(() => import('./scraping/scraping.tsx'), 'Scraping'),
})
const pipeline = createRoute({
  getParentRoute,
  path: '/pipeline',
  component: lazyRouteComponent(() => import('./pipeline/pipeline.tsx'), 'Pipeline'),
})
const jobs = createRoute({
  getParentRoute,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./jobs/jobs.tsx'), 'Jobs'),
})
const alerts = createRoute({
  getParentRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./alerts/alerts.tsx'), 'Alerts'),
})
const mails = createRoute({
  getParentRoute,
  path: '/mails',
  component: lazyRouteComponent(() => import('./mails/mails.tsx'), 'Mails'),
})
const webhooks = createRoute({
  getParentRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./webhooks/webhooks.tsx'), 'Webhooks'),
})
const users = createRoute({
  getParentRoute,
  path: '/users',
  component: lazyRouteComponent(() => import('./users/users.tsx'), 'Users'),
})
const apiKeys = createRoute({
  getParentRoute,
  path: '/api-keys',
  component: lazyRouteComponent(() => import('./api-keys/api-keys.tsx'), 'ApiKeys'),
})
const settings = createRoute({
  getParentRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
})
const licence = createRoute({
  getParentRoute,
  path: '/licence',
  component: lazyRouteComponent(() => import('./licence/licence.tsx'), 'Licence'),
})
const audit = createRoute({
  getParentRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'Audit'),
})

const routeTree = root.addChildren([
  desk,
  orders,
  ordersNew,
  ordersId,
  contacts,
  contactsId,
  products,
  productsId,
  categories,
  brands,
  tags,
  attributes,
  banners,
  features,
  reviews,
  images,
  dashboard,
  sync,
  scraping,
  pipeline,
  jobs,
  alerts,
  mails,
  webhooks,
  users,
  apiKeys,
  settings,
  licence,
  audit,
])

/** Each page is loaded when it is first shown. */
export const router = createRouter({
  routeTree,
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <FailureNote error={error} onRepeat={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
