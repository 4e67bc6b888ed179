import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { attributeRuleRoutes } from './admin/attribute-rules.ts'
import { auditRoutes } from './admin/audit.ts'
import { categoryFilterRoutes } from './admin/category-filters.ts'
import { contactAdminRoutes } from './admin/contacts.ts'
import { dashboardRoutes } from './admin/dashboard.ts'
import { licenceRoutes } from './admin/licence.ts'
import { notificationRoutes } from './admin/notifications.ts'
import { adminOrderRoutes } from './admin/orders.ts'
import { imageLogRoutes, scrapeQueueRoutes } from './admin/scrape-queue.ts'
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

/** The map: prefix → the plugin of that noun. What also answers without /api/v1 has a line for each form. */
const routes: [prefix: string, plugin: FastifyPluginAsync][] = [
  ['/api/v1/auth', authRoutes],
  ['/api/v1/config', settingRoutes],
  ['/api/v1/products', productRoutes],
  ['/api/v1/products', productEditingRoutes],
  ['/api/v1/products', productPartRoutes],
  ['/api/v1/categories', categoryRoutes],
  ['/api/v1/categories', categoryEditingRoutes],
  ['/api/v1/brands', brandRoutes],
  ['/api/v1', bySlugRoutes],
  ['', bySlugRoutes],
  ['/api/v1/tags', tagRoutes],
  ['/tags', tagPageRoutes],
  ['/api/v1/cart', cartRoutes],
  ['/api/v1/orders', orderRoutes],
  ['/api/v1/contacts', contactRoutes],
  ['/api/v1/reviews', reviewRoutes],
  ['/api/v1/banner-blocks', bannerBlockRoutes],
  ['/api/v1/feature-items', featureItemRoutes],
  ['/api/v1/images', imageRoutes],
  ['/api/v1', ymlCatalogRoutes],
  ['', sitemapRoutes],
  ['/api/v1/admin/orders', adminOrderRoutes],
  ['/api/v1/admin/contacts', contactAdminRoutes],
  ['/api/v1/admin/users', userRoutes],
  ['/api/v1/admin/category-filters', categoryFilterRoutes],
  ['/api/v1/admin/config', settingAdminRoutes],
  ['/api/v1/admin/audit', auditRoutes],
  ['/api/v1/admin/dashboard', dashboardRoutes],
  ['/api/v1/admin/license', licenceRoutes],
  ['/api/v1/admin/notifications', notificationRoutes],
  ['/api/v1/admin/scrape-queue', scrapeQueueRoutes],
  ['/api/v1/admin/scrape-queue', imageLogRoutes],
  ['/api/v1/admin/sync', syncRoutes],
  ['/admin/sync', syncAliasRoutes],
  ['/api/v1/admin/attribute-rules', attributeRuleRoutes],
  ['/api/v1/admin/xml-feed', xmlFeedRoutes],
  ['/api/v1/admin/xml-pipeline', xmlPipelineRoutes],
  ['/health', healthRoutes],
  ['', homeRoutes],
]

/** Registers every route. Each declares its access; see plugins/auth.ts for what happens if one doesn't. */
export async function registerRoutes(app: FastifyInstance): Promise<void> {
  for (const [prefix, plugin] of routes) {
    // Fastify looks for one without a name among all modules that are loaded.
    Object.assign(plugin, { [Symbol.for('fastify.display-name')]: plugin.name })
    await app.register(plugin, { prefix })
  }
}
