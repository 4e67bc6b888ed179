/** How many pieces of a product were ordered during the last 90 days; counted now and then. */
export type ProductSalesTable = {
  product_id: number
  quantity: number
}
