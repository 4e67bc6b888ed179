import { sql } from 'kysely'

/**
 * What can still be ordered of a product (contract section 5, "Availability"): the one place that says so. For
 * statements that read from `products`.
 */
export const availableQuantity = sql<number>`products.stock`
