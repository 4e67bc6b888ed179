import { hashText, Random } from './random.ts'
import { StampedList } from './stamped-list.ts'

export interface DemoAttribute {
  readonly name: string
  readonly value: string
}

export interface DemoCategory {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly updatedAt: number
}

export interface DemoBrand {
  readonly id: string
  readonly name: string
  readonly updatedAt: number
}

export interface DemoProduct {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly price: number | null
  readonly stock: number | null
  readonly categoryId: string | null
  readonly brandId: string | null
  readonly active: boolean
  readonly attributes: readonly DemoAttribute[]
  /** Address of the page elsewhere; null: the demo storefront has it. */
  readonly pageUrl: string | null
  /** Pictures published elsewhere, for the feed only. */
  readonly imageUrls: readonly string[]
  /** Generated pictures on the product's demo page. */
  readonly imageCount: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

/** The id and whatever differs from the stored record, or from the defaults of a new one. */
export type Patch<T extends { readonly id: string }> = Partial<T> & Pick<T, 'id'>

export type ListKind = 'categories' | 'brands' | 'products'

export interface CatalogueOptions {
  /** Epoch milliseconds for change stamps; the system clock unless a test brings its own. */
  now?: () => number
  /** For `changeSome`. */
  seed?: number
}

const MAX_PICTURES = 5

/** The supplier's catalogue in memory. Every change stamps the record with the current time. */
export class Catalogue {
  readonly categories = new StampedList<DemoCategory>()
  readonly brands = new StampedList<DemoBrand>()
  readonly products = new StampedList<DemoProduct>()
  readonly #now: () => number
  readonly #random: Random

  constructor({ now = Date.now, seed = 1 }: CatalogueOptions = {}) {
    this.#now = now
    this.#random = new Random(seed)
  }

  upsertCategory(patch: Patch<DemoCategory>): DemoCategory {
    const old = this.categories.get(patch.id)
    const category = { name: patch.id, parentId: null, ...old, updatedAt: this.#now(), ...patch }
    this.categories.put(category)
    return category
  }

  upsertBrand(patch: Patch<DemoBrand>): DemoBrand {
    const old = this.brands.get(patch.id)
    const brand = { name: patch.id, ...old, updatedAt: this.#now(), ...patch }
    this.brands.put(brand)
    return brand
  }

  /** New products are active, without price, stock, category, brand and attributes unless the patch has them. */
  upsertProduct(patch: Patch<DemoProduct>): DemoProduct {
    const old = this.products.get(patch.id) ?? emptyProduct(patch.id)
    const product = { ...old, updatedAt: this.#now(), ...patch }
    this.products.put(product)
    return product
  }

  /** The product is in no list any more. Returns whether it existed. */
  removeProduct(id: string): boolean {
    return this.products.remove(id)
  }

  removeCategory(id: string): boolean {
    return this.categories.remove(id)
  }

  removeBrand(id: string): boolean {
    return this.brands.remove(id)
  }

  /** Stamps these products (all, when none are named) as changed now, without changing anything else. */
  touch(ids?: Iterable<string>): void {
    const updatedAt = this.#now()
    for (const id of ids ?? [...this.products].map((product) => product.id)) {
      const product = this.products.get(id)
      if (product !== undefined) this.products.put({ ...product, updatedAt })
    }
  }

  /** Puts any JSON value at the end of a list's answers: malformed records, the same id a second time. */
  addRaw(kind: ListKind, rawValue: unknown): void {
    this[kind].addRaw(JSON.stringify(rawValue) ?? 'null', this.#now())
  }

  clearRaw(): void {
    this.categories.clearRaw()
    this.brands.clearRaw()
    this.products.clearRaw()
  }

  /**
   * Changes price and stock of up to `count` pseudo-random products and stamps them with `now` (epoch ms).
   * Returns their ids, each once.
   */
  changeSome(count: number, now: number = this.#now()): string[] {
    const changed = new Set<string>()
    const wanted = Math.min(count, this.products.size)
    // The number of draws is bounded: many slots may be empty or raw.
    for (let draws = 0; changed.size < wanted && draws < wanted * 20; draws += 1) {
      const product = this.products.recordAt(this.#random.int(0, this.products.slotCount - 1))
      if (product === undefined || changed.has(product.id)) continue
      this.products.put({ ...product, ...this.#otherFigures(product), updatedAt: now })
      changed.add(product.id)
    }
    return [...changed]
  }

  #otherFigures(product: DemoProduct): { price: number | null; stock: number } {
    const kopecks = Math.round((product.price ?? 0) * 100)
    const other = Math.max(1, Math.round(kopecks * (0.9 + this.#random.next() * 0.2)))
    const price = other === kopecks ? kopecks + 1 : other
    const stock = this.#random.chance(0.15) ? 0 : this.#random.int(1, 60)
    return {
      price: product.price === null ? null : price / 100,
      // A product without a price must still differ, or it would be no change.
      stock: stock === product.stock ? stock + 1 : stock,
    }
  }
}

/** How many pictures a product has when nobody said: one to five, always the same for an id. */
export function usualImageCount(id: string): number {
  return 1 + (hashText(id) % MAX_PICTURES)
}

function emptyProduct(id: string): Omit<DemoProduct, 'updatedAt'> {
  return {
    id,
    name: id,
    description: null,
    price: null,
    stock: null,
    categoryId: null,
    brandId: null,
    active: true,
    attributes: [],
    pageUrl: null,
    imageUrls: [],
    imageCount: usualImageCount(id),
  }
}
