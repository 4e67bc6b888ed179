import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { attributeRuleRoutes } from './admin/attribute-rules.ts'
import { auditRoutes } from './admin/audit.ts'
import { categoryFilterRoutes } from './admin/category-filters.ts'
import { contactAdminRoutes } from './admin/contacts.ts'
import { dashboardRoutes } from './admin/dashboard.ts'
import { imageLogRoutes } from './admin/image-log.ts'
import { imageOverrideRoutes } from './admin/image-overrides.ts'
import { licenceRoutes } from './admin/licence.ts'
import { notificationRoutes } from './admin/notifications.ts'
import { adminOrderRoutes } from './admin/orders.ts'
import { scrapeQueueRoutes } from './admin/scrape-queue.ts'
import { settingAdminRoutes } from './admin/settings.ts'
import { syncAliasRoutes, syncRoutes } from './admin/sync.ts'
import { userRoutes } from './admin/users.ts'
import { xmlFeedRoutes } from './admin/xml-feed.ts'
import { xmlPipelineRoutes } from './admin/xml-pipeline.ts'
import { authRoutes } from './auth.ts'
import { bannerBlockRoutes } from './banner-blocks.ts'
import { brandRoutes } from './brands.ts'
import { bySlugRoutes } from './by-slug.ts'
import { cartRoutes } from './cart.ts'
import { categoryRoutes } from './categories.ts'
import { categoryEditingRoutes } from './category-editing.ts'
import { contactRoutes } from './contacts.ts'
import { featureItemRoutes } from './feature-items.ts'
import { healthRoutes } from './health.ts'
import { homeRoutes } from './home.ts'
import { imageRoutes } from './images.ts'
import { orderRoutes } from './orders.ts'
import { productEditingRoutes } from './product-editing.ts'
import { productPartRoutes } from './product-parts.ts'
import { productRoutes } from './products.ts'
import { reviewRoutes } from './reviews.ts'
import { settingRoutes } from './settings.ts'
import { sitemapRoutes } from './sitemap.ts'
import { tagPageRoutes, tagRoutes } from './tags.ts'
import { ymlCatalogRoutes } from './yml-catalog.ts'

/** The tags of the API description, those of the storefront first. */
export const TAGS = {
  products: 'The catalogue: lists, search, cards',
  categories: 'Navigation',
  tags: 'Landing pages of products that have something in common',
  brands: 'Who makes what is sold',
  cart: 'What a cart costs now',
  orders: 'Placing orders, and reading the own ones',
  account: 'Registration, login, the own account',
  'contact form': 'What visitors write',
  'public settings': 'What the storefront needs to know of the shop',
  reviews: 'What customers think',
  banners: 'What the storefront draws attention to',
  features: 'What the shop is proud of',
  images: 'The media library, and what it shows',
  feed: 'What price comparison services and search engines fetch',
  dashboard: 'The shop at a glance',
  'products (staff)': 'Editing what is sold, one by one and many at once',
  'orders (staff)': 'Editing orders and sending them to the supplier',
  'contacts (staff)': 'Answering what visitors wrote',
  users: 'Accounts and their roles',
  settings: 'Everything that can be set while the shop runs',
  sync: 'Reading the catalogue from the supplier',
  'image scraping': "Fetching pictures from the supplier's storefront",
  pipeline: "The supplier's XML feed: its runs, and what staff decide about it",
  licence: 'What the service costs, and how long it is paid for',
  notifications: 'Mail to staff',
  audit: 'Who changed what',
  health: 'For load balancers and operators',
}

/** The map: prefix → tag → the plugin of that noun. What also answers without /api/v1 has a line for each form. */
const routes: [prefix: string, tag: keyof typeof TAGS, plugin: FastifyPluginAsync][] = [
  ['/api/v1/auth', 'account', authRoutes],
  ['/api/v1/config', 'public settings', settingRoutes],
  ['/api/v1/products', 'products', productRoutes],
  ['/api/v1/products', 'products (staff)', productEditingRoutes],
  ['/api/v1/products', 'products (staff)', productPartRoutes],
  ['/api/v1/categories', 'categories', categoryRoutes],
  ['/api/v1/categories', 'categories', categoryEditingRoutes],
  ['/api/v1/brands', 'brands', brandRoutes],
  ['/api/v1', 'products', bySlugRoutes],
  ['', 'products', bySlugRoutes],
  ['/api/v1/tags', 'tags', tagRoutes],
  ['/tags', 'tags', tagPageRoutes],
  ['/api/v1/cart', 'cart', cartRoutes],
  ['/api/v1/orders', 'orders', orderRoutes],
  ['/api/v1/contacts', 'contact form', contactRoutes],
  ['/api/v1/reviews', 'reviews', reviewRoutes],
  ['/api/v1/banner-blocks', 'banners', bannerBlockRoutes],
  ['/api/v1/feature-items', 'features', featureItemRoutes],
  ['/api/v1/images', 'images', imageRoutes],
  ['/api/v1', 'feed', ymlCatalogRoutes],
  ['', 'feed', sitemapRoutes],
  ['/api/v1/admin/orders', 'orders (staff)', adminOrderRoutes],
  ['/api/v1/admin/contacts', 'contacts (staff)', contactAdminRoutes],
  ['/api/v1/admin/users', 'users', userRoutes],
  ['/api/v1/admin/category-filters', 'categories', categoryFilterRoutes],
  ['/api/v1/admin/config', 'settings', settingAdminRoutes],
  ['/api/v1/admin/audit', 'audit', auditRoutes],
  ['/api/v1/admin/dashboard', 'dashboard', dashboardRoutes],
  ['/api/v1/admin/license', 'licence', licenceRoutes],
  ['/api/v1/admin/notifications', 'notifications', notificationRoutes],
  ['/api/v1/admin/scrape-queue', 'image scraping', scrapeQueueRoutes],
  ['/api/v1/admin/scrape-queue', 'image scraping', imageLogRoutes],
  ['/api/v1/admin/sync', 'sync', syncRoutes],
  ['/admin/sync', 'sync', syncAliasRoutes],
  ['/api/v1/admin/attribute-rules', 'pipeline', attributeRuleRoutes],
  ['/api/v1/admin/xml-feed', 'pipeline', xmlFeedRoutes],
  ['/api/v1/admin/xml-pipeline', 'pipeline', xmlPipelineRoutes],
  ['/api/v1/admin/xml-pipeline/image-overrides', 'pipeline', imageOverrideRoutes],
  ['/health', 'health', healthRoutes],
  ['', 'health', homeRoutes],
]

/**
 * Registers every route. Each declares its access; see plugins/auth.ts for what happens if one doesn't. A described
 * HEAD route names its tag itself: the description copies its schema before this hook runs.
 */
export async function registerRoutes(app: FastifyInstance): Promise<void> {
  for (const [prefix, tag, plugin] of routes) {
    await app.register(
      async (scope) => {
        scope.addHook('onRoute', (route) => {
          route.schema = { tags: [tag], ...route.schema }
        })
        await scope.register(plugin)
      },
      { prefix },
    )
  }
}
