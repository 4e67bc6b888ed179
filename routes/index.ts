import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import * as catalogue from './admin/catalogue.ts'
import { licenceRoutes } from './admin/licence.ts'
import { mailRoutes, notificationRoutes } from './admin/mails.ts'
import { alertRoutes, auditRoutes, dashboardRoutes, jobRoutes } from './admin/operations.ts'
import { adminOrderRoutes } from './admin/orders.ts'
import { scrapeQueueRoutes } from './admin/scrape-queue.ts'
import { settingAdminRoutes } from './admin/settings.ts'
import { syncAliasRoutes, syncRoutes } from './admin/sync.ts'
import { apiKeyRoutes, loginBlockRoutes, userRoutes } from './admin/users.ts'
import { webhookRoutes } from './admin/webhooks.ts'
import { xmlFeedRoutes } from './admin/xml-feed.ts'
import { attributeRuleRoutes, imageOverrideRoutes, xmlPipelineRoutes } from './admin/xml-pipeline.ts'
import { authRoutes } from './auth.ts'
import { brandRoutes, bySlugRoutes, cartRoutes, tagRoutes } from './catalogue.ts'
import { categoryRoutes } from './categories.ts'
import { contactAdminRoutes, contactRoutes } from './contacts.ts'
import { bannerBlockRoutes, featureItemRoutes } from './content-blocks.ts'
import { eventRoutes } from './events.ts'
import { feedRoutes } from './feeds.ts'
import { healthRoutes, metricsRoutes } from './health.ts'
import { imageRoutes } from './images.ts'
import { mcpRoutes } from './mcp.ts'
import { orderRoutes } from './orders.ts'
import { productEditingRoutes } from './product-editing.ts'
import { productRoutes } from './products.ts'
import { reviewRoutes } from './reviews.ts'
import { settingRoutes } from './settings.ts'

/** The tags of the API description, those of the storefront first. */
export const TAGS = {
  products: 'Product lists, search and details',
  categories: 'Category tree and pages',
  tags: 'Landing pages for groups of products',
  brands: 'Manufacturers',
  cart: 'Current prices and availability of a cart',
  orders: 'Placing, viewing and cancelling orders',
  account: "Registration, login and the caller's account",
  'contact form': 'Messages from visitors',
  'public settings': 'Settings that the storefront needs',
  reviews: 'Customer reviews',
  banners: 'Banner blocks of the storefront',
  features: 'Feature items of the storefront',
  images: 'Media library and image files',
  feed: 'Feeds and sitemap, for price comparison services and search engines',
  agents: 'Model Context Protocol server for agents',
  dashboard: 'Key figures of the shop',
  'products (staff)': 'Editing products, one by one or in bulk',
  'orders (staff)': 'Editing orders and submitting them to the supplier',
  'contacts (staff)': 'Processing contact requests',
  users: 'User accounts and roles',
  'API keys': 'Keys for scripts and integrations',
  settings: 'Settings that can be changed at run time',
  sync: "Synchronisation with the supplier's catalogue",
  'image scraping': "Downloading images from the supplier's storefront",
  pipeline: "Processing of the supplier's XML feed: runs, mappings and rules",
  licence: 'Licence prices, top-ups and balance',
  notifications: 'Email to staff',
  jobs: 'Background jobs and their runs',
  webhooks: 'Events sent to other systems',
  alerts: 'Problems that need an operator',
  audit: 'Log of changes by staff',
  health: 'For load balancers and operators',
}

/** Prefix, tag and plugin of each noun; routes that also exist without /api/v1 have a line for each prefix. */
const routes: [prefix: string, tag: keyof typeof TAGS, plugin: FastifyPluginAsync][] = [
  ['/api/v1/auth', 'account', authRoutes],
  ['/api/v1/config', 'public settings', settingRoutes],
  ['/api/v1/products', 'products', productRoutes],
  ['/api/v1/products', 'products (staff)', productEditingRoutes],
  ['/api/v1/categories', 'categories', categoryRoutes],
  ['/api/v1/brands', 'brands', brandRoutes],
  ['/api/v1/admin/brands', 'brands', catalogue.brandEditingRoutes],
  ['', 'products', bySlugRoutes],
  ['/api/v1/tags', 'tags', tagRoutes],
  ['/api/v1/cart', 'cart', cartRoutes],
  ['/api/v1/orders', 'orders', orderRoutes],
  ['/api/v1/contacts', 'contact form', contactRoutes],
  ['/api/v1/reviews', 'reviews', reviewRoutes],
  ['/api/v1/banner-blocks', 'banners', bannerBlockRoutes],
  ['/api/v1/feature-items', 'features', featureItemRoutes],
  ['/api/v1/images', 'images', imageRoutes],
  ['', 'feed', feedRoutes],
  ['/api/v1/admin/orders', 'orders (staff)', adminOrderRoutes],
  ['/api/v1/admin/products', 'products (staff)', catalogue.adminProductRoutes],
  ['/api/v1/admin/attributes', 'products (staff)', catalogue.attributeRoutes],
  ['/api/v1/admin/contacts', 'contacts (staff)', contactAdminRoutes],
  ['/api/v1/admin/users', 'users', userRoutes],
  ['/api/v1/admin/api-keys', 'API keys', apiKeyRoutes],
  ['/api/v1/admin/category-filters', 'categories', catalogue.categoryFilterRoutes],
  ['/api/v1/admin/config', 'settings', settingAdminRoutes],
  ['/api/v1/admin/audit', 'audit', auditRoutes],
  ['/api/v1/admin/dashboard', 'dashboard', dashboardRoutes],
  ['/api/v1/admin/jobs', 'jobs', jobRoutes],
  ['/api/v1/admin/alerts', 'alerts', alertRoutes],
  ['/api/v1/admin/license', 'licence', licenceRoutes],
  ['/api/v1/admin/mails', 'notifications', mailRoutes],
  ['/api/v1/admin/webhooks', 'webhooks', webhookRoutes],
  ['/api/v1/admin/login-blocks', 'users', loginBlockRoutes],
  ['/api/v1/admin/deleted-products', 'sync', catalogue.deletedProductRoutes],
  ['/api/v1/admin/notifications', 'notifications', notificationRoutes],
  ['/api/v1/admin/scrape-queue', 'image scraping', scrapeQueueRoutes],
  ['/api/v1/admin/sync', 'sync', syncRoutes],
  ['/admin/sync', 'sync', syncAliasRoutes],
  ['/api/v1/admin/attribute-rules', 'pipeline', attributeRuleRoutes],
  ['/api/v1/admin/xml-feed', 'pipeline', xmlFeedRoutes],
  ['/api/v1/admin/xml-pipeline', 'pipeline', xmlPipelineRoutes],
  ['/api/v1/admin/xml-pipeline/image-overrides', 'pipeline', imageOverrideRoutes],
  ['/health', 'health', healthRoutes],
  ['', 'health', metricsRoutes],
  ['/ws', 'health', eventRoutes],
  ['/mcp', 'agents', mcpRoutes],
]

/** Registers every route with its tag. */
export async function registerRoutes(app: FastifyInstance): Promise<void> {
  for (const [prefix, tag, plugin] of routes) {
    const tagged: FastifyPluginAsync = async (scope, options) => {
      scope.addHook('onRoute', (route) => {
        route.schema = { tags: [tag], ...route.schema }
      })
      await plugin(scope, options)
    }
    await app.register(tagged, { prefix })
  }
}
