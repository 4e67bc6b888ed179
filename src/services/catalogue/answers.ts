import type { Deps } from '../../deps.ts'
import type { Shown } from '../../runtime/cache-region.ts'

/** A whole answer as it goes out: JSON in UTF-8. */
export type JsonBytes = Buffer

/** The record's answer, or the slug under which it is now. */
export type BySlug = { json: JsonBytes } | { movedTo: string }

/** JSON that a caller is given, or a part of it, and what of products it shows, which decides what makes it stale. */
export type Answer = { json: JsonBytes; shown: Shown }

const LIST = Buffer.from('{"content":[')
const COMMA = Buffer.from(',')

type ShownProduct = { id: number; available: boolean }
type ShownRecord = ShownProduct & { json: Buffer }

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
export function listing(products: ShownRecord[], rest: object, byStock = false): Answer {
  const available = new Map(products.map((product) => [product.id, product.available]))
  return { json: pageOf(products, rest), shown: { anyProduct: true, anyStock: byStock, available } }
}

/** A page of records that are JSON already. @param rest what it says beside them */
function pageOf(records: { json: Buffer }[], rest: object): JsonBytes {
  const content = records.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json]))
  return Buffer.concat([LIST, ...content, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)])
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
