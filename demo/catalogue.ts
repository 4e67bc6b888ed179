import { hashText, Random } from './random.ts'
import { RecordList } from './record-list.ts'

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
  /** URL of the page; null: the one of the demo storefront. */
  readonly pageUrl: string | null
  /** URLs of external pictures, for the feed only. */
  readonly imageUrls: readonly string[]
  /** Generated pictures on the product's demo page. */
  readonly imageCount: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

/** The id, and the fields that differ from the stored record or from the defaults of a new one. */
type Patch<T extends { readonly id: string }> = Partial<T> & Pick<T, 'id'>

const MAX_PICTURES = 5

/** The supplier's catalogue in memory. Every change sets `updatedAt` to the current time. */
export class Catalogue {
  readonly categories = new RecordList<DemoCategory>()
  readonly brands = new RecordList<DemoBrand>()
  readonly products = new RecordList<DemoProduct>()
  readonly #random = new Random(1)

  upsertCategory(patch: Patch<DemoCategory>): DemoCategory {
    const old = this.categories.get(patch.id)
    const category = { name: patch.id, parentId: null, ...old, updatedAt: Date.now(), ...patch }
    this.categories.put(category)
    return category
  }

  upsertBrand(patch: Patch<DemoBrand>): DemoBrand {
    const old = this.brands.get(patch.id)
    const brand = { name: patch.id, ...old, updatedAt: Date.now(), ...patch }
    this.brands.put(brand)
    return brand
  }

  /** A new product is active, and without price, stock, category, brand and attributes unless given. */
  upsertProduct(patch: Patch<DemoProduct>): DemoProduct {
    const old = this.products.get(patch.id) ?? emptyProduct(patch.id)
    const product = { ...old, updatedAt: Date.now(), ...patch }
    this.products.put(product)
    return product
  }

  /** Sets `updatedAt` of all products to now. */
  touch(): void {
    const updatedAt = Date.now()
    for (const product of this.products) this.products.put({ ...product, updatedAt })
  }

  /**
   * Changes price and stock of up to `count` pseudo-random products.
   * @param now their `updatedAt`, in epoch milliseconds
   * @returns their ids
   */
  changeSome(count: number, now: number = Date.now()): string[] {
    const changed = new Set<string>()
    while (changed.size < Math.min(count, this.products.size)) {
      const product = this.products.at(this.#random.int(0, this.products.size - 1))
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
      // A product without a price must still differ.
      stock: stock === product.stock ? stock + 1 : stock,
    }
  }
}

/** Default number of pictures of a product: one to five, derived from its id. */
export function defaultImageCount(id: string): number {
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
    imageCount: defaultImageCount(id),
  }
}
