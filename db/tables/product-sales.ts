/** Units ordered in the last 90 days, counted by a job. */
export type ProductSalesTable = {
  product_id: number
  quantity: number
}
