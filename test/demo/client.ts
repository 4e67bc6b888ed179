import got, { type Got } from 'got'
import { Catalogue } from '../../demo/catalogue.ts'
import type { DemoSupplier } from '../../demo/supplier.ts'

export interface ListAnswer {
  items: Record<string, unknown>[]
  page?: number
  nextPage?: number | null
}

/** Calls the demo supplier as it is: every status is an answer, nothing is retried. */
export function clientOf(supplier: DemoSupplier): Got {
  return got.extend({
    prefixUrl: supplier.url,
    headers: { token: 'test-token' },
    throwHttpErrors: false,
    retry: { limit: 0 },
  })
}

export async function listProducts(client: Got, query: Record<string, string | number> = {}): Promise<ListAnswer> {
  return await client.get('ListProducts', { searchParams: query }).json<ListAnswer>()
}

export function idsOf(answer: ListAnswer): unknown[] {
  return answer.items.map((item) => item.id)
}

/** Products p1…pn, stamped a minute apart from 1 March 2026 10:00 UTC on. */
export function numberedCatalogue(count: number): Catalogue {
  const catalogue = new Catalogue()
  catalogue.upsertCategory({ id: 'c1', name: 'Дрели', updatedAt: Date.UTC(2026, 2, 1) })
  catalogue.upsertBrand({ id: 'b1', name: 'Вектор & Ко', updatedAt: Date.UTC(2026, 2, 1) })
  for (let number = 1; number <= count; number += 1) {
    catalogue.upsertProduct({
      id: `p${number}`,
      name: `Дрель ${number}`,
      price: 100.5,
      stock: 5,
      categoryId: 'c1',
      brandId: 'b1',
      imageCount: 3,
      updatedAt: Date.UTC(2026, 2, 1, 10, number),
    })
  }
  return catalogue
}
