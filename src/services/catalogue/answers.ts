import type { Deps } from '../../deps.ts'
import type { Shown } from '../../runtime/cache/invalidation.ts'
import { type JsonBytes, pageOf, toJsonBytes } from '../../runtime/cache/json-bytes.ts'

/** The record's answer, or its present slug. */
export type BySlug = { json: JsonBytes } | { movedTo: string }

/** JSON with the products that it depends on, by which it is invalidated. */
export type Answer = { json: JsonBytes; shown: Shown }

type ShownProduct = { id: number; available: boolean }

/** An answer as bytes, cached for the public; staff always get a new one. */
export async function answer(
  { cached }: Pick<Deps, 'cached'>,
  key: string,
  staff: boolean,
  load: () => Promise<Answer>,
): Promise<JsonBytes> {
  return (await (staff ? load() : cached.answers.get(key, load))).json
}

/** A page of products, which any other product may enter. */
export function listing(products: (ShownProduct & { json: Buffer })[], rest: object): Answer {
  return {
    json: pageOf(products, rest),
    shown: { anyProduct: true, available: availabilityOf(products) },
  }
}

/** An answer about one product. */
export function showing(product: ShownProduct, value: object): Answer {
  return { json: toJsonBytes(value), shown: { anyProduct: false, available: availabilityOf([product]) } }
}

/** An answer that counts products, which any of them may change. */
export function counted(value: object): Answer {
  return { json: toJsonBytes(value), shown: { anyProduct: true, available: new Map() } }
}

/** An answer that doesn't depend on products. */
export function plain(value: object): Answer {
  return { json: toJsonBytes(value), shown: { anyProduct: false, available: new Map() } }
}

function availabilityOf(products: ShownProduct[]): Map<number, boolean> {
  return new Map(products.map(({ id, available }) => [id, available]))
}
