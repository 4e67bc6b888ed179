import type { Deps } from '../../deps.ts'
import type { Shown } from '../../runtime/caches.ts'

/** A whole answer as it goes out: JSON in UTF-8. */
export type JsonBytes = Buffer

/** The record's answer, or the slug under which it is now. */
export type BySlug = { json: JsonBytes } | { movedTo: string }

/** JSON that a caller is given, or a part of it, and what of products it shows, which decides what makes it stale. */
export type Answer = { json: JsonBytes; shown: Shown }

const LIST = Buffer.from('{"content":[')
const COMMA = Buffer.from(',')

type ShownProduct = { id: number; available: boolean }

export function toJsonBytes(value: object): JsonBytes {
  return Buffer.from(JSON.stringify(value))
}

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
export function listing(products: Answer[], rest: object, byStock = false): Answer {
  const content = products.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json]))
  const available = new Map(products.flatMap(({ shown }) => [...shown.available]))
  return {
    json: Buffer.concat([LIST, ...content, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)]),
    shown: { anyProduct: true, anyStock: byStock, available },
  }
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
