import type { Deps } from '../../deps.ts'
import type { Shown } from '../../runtime/cache/invalidation.ts'
import { type JsonBytes, pageOf, toJsonBytes } from '../../runtime/cache/json-bytes.ts'

/** The record's answer, or the slug under which it is now. */
export type BySlug = { json: JsonBytes } | { movedTo: string }

/** JSON that a caller is given, or a part of it, and what of products it shows, which decides what makes it stale. */
export type Answer = { json: JsonBytes; shown: Shown }

type ShownProduct = { id: number; available: boolean }
type ShownRecord = ShownProduct & { json: Buffer }

/** An answer as bytes; those for the public are kept, those for staff are made anew each time. */
export async function answer(
  { cached }: Pick<Deps, 'cached'>,
  key: string,
  staff: boolean,
  load: () => Promise<Answer>,
): Promise<JsonBytes> {
  return (await (staff ? load() : cached.answers.get(key, load))).json
}

/**
 * What lists these products, and says `rest` beside: any other may come in.
 * @param byStock whether an order may let one in or out
 */
export function listing(products: ShownRecord[], rest: object, byStock = false): Answer {
  const available = new Map(products.map((product) => [product.id, product.available]))
  return { json: pageOf(products, rest), shown: { anyProduct: true, anyStock: byStock, available } }
}

/** What counts products by what can be had, too. */
export function countedByStock(value: object): Answer {
  return { json: toJsonBytes(value), shown: { anyProduct: true, anyStock: true, available: new Map() } }
}

/** What is about one product alone. */
export function showing(product: ShownProduct, value: object): Answer {
  const available = new Map([[product.id, product.available]])
  return { json: toJsonBytes(value), shown: { anyProduct: false, available } }
}

/** What says how many products there are, and shows none: any of them may change that. */
export function counted(value: object): Answer {
  return { json: toJsonBytes(value), shown: { anyProduct: true, available: new Map() } }
}

/** What says nothing of products. */
export function plain(value: object): Answer {
  return { json: toJsonBytes(value), shown: { anyProduct: false, available: new Map() } }
}
