import type { Deps } from '../../deps.ts'
import type { Shown } from '../../runtime/caches.ts'

/** A whole answer as it goes out: JSON in UTF-8. */
export type JsonBytes = Buffer

/** The record's answer, or the slug under which it is now. */
export type BySlug = { json: JsonBytes } | { movedTo: string }

/** What a caller is given, and what of products it shows, which decides what makes it stale. */
type Answer = { value: object; shown: Shown }

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
  if (staff) return toJsonBytes((await load()).value)
  const { json } = await cached.answers.get(key, async () => {
    const { value, shown } = await load()
    return { json: toJsonBytes(value), shown }
  })
  return json
}

/** What lists these products: any other may come in. @param byStock whether an order may let one in or out */
export function listing(products: ShownProduct[], value: object, byStock = false): Answer {
  return { value, shown: { anyProduct: true, anyStock: byStock, available: availabilityOf(products) } }
}

/** What counts products by what can be had, too. */
export function countedByStock(value: object): Answer {
  return { value, shown: { anyProduct: true, anyStock: true, available: new Map() } }
}

/** What is about one product alone. */
export function showing(product: ShownProduct, value: object): Answer {
  return { value, shown: { anyProduct: false, available: availabilityOf([product]) } }
}

/** What says how many products there are, and shows none: any of them may change that. */
export function counted(value: object): Answer {
  return { value, shown: { anyProduct: true, available: new Map() } }
}

/** What says nothing of products. */
export function plain(value: object): Answer {
  return { value, shown: { anyProduct: false, available: new Map() } }
}

function availabilityOf(products: ShownProduct[]): Map<number, boolean> {
  return new Map(products.map(({ id, available }) => [id, available]))
}
