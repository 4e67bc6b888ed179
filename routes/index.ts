import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { alertRoutes } from './admin/alerts.ts'
import { apiKeyRoutes } from './admin/api-keys.ts'
import { attributeRuleRoutes } from './admin/attribute-rules.ts'
import { attributeRoutes } from './admin/attributes.ts'
import { auditRoutes } from './admin/audit.ts'
import { adminBrandRoutes } from './admin/brands.ts'
import { categoryFilterRoutes } from './admin/category-filters.ts'
import { adminConfigRoutes } from './admin/config.ts'
import { adminContactRoutes } from './admin/contacts.ts'
import { dashboardRoutes } from './admin/dashboard.ts'
import { deletedProductRoutes } from './admin/deleted-products.ts'
import { jobRoutes } from './admin/jobs.ts'
import { licenseRoutes } from './admin/license.ts'
import { loginBlockRoutes } from './admin/login-blocks.ts'
import { mailRoutes } from './admin/mails.ts'
import { notificationRoutes } from './admin/notifications.ts'
import { orderPrintRoutes } from './admin/orders/print.ts'
import { adminOrderRoutes } from './admin/orders.ts'
import { privacyRoutes } from './admin/privacy.ts'
import { adminProductRoutes } from './admin/products.ts'
import { scrapeQueueRoutes } from './admin/scrape-queue.ts'
import { syncAliasRoutes, syncRoutes } from './admin/sync.ts'
import { userRoutes } from './admin/users.ts'
import { webhookRoutes } from './admin/webhooks.ts'
import { xmlFeedRoutes } from './admin/xml-feed.ts'
import { imageOverrideRoutes } from './admin/xml-pipeline/image-overrides.ts'
import { xmlPipelineRoutes } from './admin/xml-pipeline.ts'
import { authRoutes } from './auth.ts'
import { bannerBlockRoutes } from './banner-blocks.ts'
import { brandRoutes } from './brands.ts'
import { cartRoutes } from './cart.ts'
import { categoryAliasRoutes, categoryRoutes } from './categories.ts'
import { configRoutes } from './config.ts'
import { contactRoutes } from './contacts.ts'
import { featureItemRoutes } from './feature-items.ts'
import { googleMerchantRoutes } from './google-merchant.ts'
import { healthRoutes } from './health.ts'
import { imageRoutes } from './images.ts'
import { mcpRoutes } from './mcp.ts'
import { metricsRoutes } from './metrics.ts'
import { orderRoutes } from './orders.ts'
import { productAttributeRoutes } from './products/attributes.ts'
import { productImageRoutes } from './products/images.ts'
import { productSlugRoutes } from './products/slug.ts'
import { productTagRoutes } from './products/tags.ts'
import { productAliasRoutes, productRoutes } from './products.ts'
import { reviewRoutes } from './reviews.ts'
import { robotsRoutes } from './robots.ts'
import { sitemapRoutes } from './sitemap.ts'
import { storefrontRoutes } from './storefront.ts'
import { tagAliasRoutes, tagRoutes } from './tags.ts'
import { securityRoutes } from './well-known/security.ts'
import { wsRoutes } from './ws.ts'
import { ymlCatalogRoutes } from './yml-catalog.ts'

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

/**
 * Prefix, tag and plugin of each noun. The file of a plugin is its URL: `/api/v1/admin/jobs` is in routes/admin/jobs.ts. What also
 * exists without /api/v1 has a plugin of its own in the same file.
 */
const routes: [prefix: string, tag: keyof typeof TAGS, plugin: FastifyPluginAsync][] = [
  ['/api/v1/auth', 'account', authRoutes],
  ['/api/v1/config', 'public settings', configRoutes],
  ['/api/v1/products', 'products', productRoutes],
  ['/api/v1/products', 'products (staff)', productAttributeRoutes],
  ['/api/v1/products', 'products (staff)', productImageRoutes],
  ['/api/v1/products', 'products (staff)', productSlugRoutes],
  ['/api/v1/products', 'products (staff)', productTagRoutes],
  ['/products', 'products', productAliasRoutes],
  ['/api/v1/categories', 'categories', categoryRoutes],
  ['/categories', 'categories', categoryAliasRoutes],
  ['/api/v1/brands', 'brands', brandRoutes],
  ['/api/v1/tags', 'tags', tagRoutes],
  ['/tags', 'tags', tagAliasRoutes],
  ['/api/v1/cart', 'cart', cartRoutes],
  ['/api/v1/orders', 'orders', orderRoutes],
  ['/api/v1/contacts', 'contact form', contactRoutes],
  ['/api/v1/reviews', 'reviews', reviewRoutes],
  ['/api/v1/banner-blocks', 'banners', bannerBlockRoutes],
  ['/api/v1/feature-items', 'features', featureItemRoutes],
  ['/api/v1/images', 'images', imageRoutes],
  ['/api/v1', 'feed', ymlCatalogRoutes],
  ['/api/v1', 'feed', googleMerchantRoutes],
  ['', 'feed', sitemapRoutes],
  ['', 'feed', robotsRoutes],
  ['/.well-known', 'health', securityRoutes],
  ['', 'feed', storefrontRoutes],
  ['/api/v1/admin/alerts', 'alerts', alertRoutes],
  ['/api/v1/admin/api-keys', 'API keys', apiKeyRoutes],
  ['/api/v1/admin/attribute-rules', 'pipeline', attributeRuleRoutes],
  ['/api/v1/admin/attributes', 'products (staff)', attributeRoutes],
  ['/api/v1/admin/audit', 'audit', auditRoutes],
  ['/api/v1/admin/brands', 'brands', adminBrandRoutes],
  ['/api/v1/admin/category-filters', 'categories', categoryFilterRoutes],
  ['/api/v1/admin/config', 'settings', adminConfigRoutes],
  ['/api/v1/admin/contacts', 'contacts (staff)', adminContactRoutes],
  ['/api/v1/admin/dashboard', 'dashboard', dashboardRoutes],
  ['/api/v1/admin/deleted-products', 'sync', deletedProductRoutes],
  ['/api/v1/admin/jobs', 'jobs', jobRoutes],
  ['/api/v1/admin/license', 'licence', licenseRoutes],
  ['/api/v1/admin/login-blocks', 'users', loginBlockRoutes],
  ['/api/v1/admin/mails', 'notifications', mailRoutes],
  ['/api/v1/admin/notifications', 'notifications', notificationRoutes],
  ['/api/v1/admin/orders', 'orders (staff)', adminOrderRoutes],
  ['/api/v1/admin/orders', 'orders (staff)', orderPrintRoutes],
  ['/api/v1/admin/privacy', 'users', privacyRoutes],
  ['/api/v1/admin/products', 'products (staff)', adminProductRoutes],
  ['/api/v1/admin/scrape-queue', 'image scraping', scrapeQueueRoutes],
  ['/api/v1/admin/sync', 'sync', syncRoutes],
  ['/admin/sync', 'sync', syncAliasRoutes],
  ['/api/v1/admin/users', 'users', userRoutes],
  ['/api/v1/admin/webhooks', 'webhooks', webhookRoutes],
  ['/api/v1/admin/xml-feed', 'pipeline', xmlFeedRoutes],
  ['/api/v1/admin/xml-pipeline', 'pipeline', xmlPipelineRoutes],
  ['/api/v1/admin/xml-pipeline/image-overrides', 'pipeline', imageOverrideRoutes],
  ['/health', 'health', healthRoutes],
  ['', 'health', metricsRoutes],
  ['/ws', 'health', wsRoutes],
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
