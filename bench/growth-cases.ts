import { Random } from '../demo/random.ts'
import type { BenchRequest } from './load.ts'

/** A kind of request; `next` never repeats one, so that no cache can answer it. */
export type GrowthCase = { name: string; next(turn: number): BenchRequest }

/** Words of the generated names; each name ends in twelve hexadecimal digits. */
const KINDS = ['Дрель ударная', 'Шуруповёрт', 'Лампа настольная', 'Картридж', 'Перфоратор', 'Кабель', 'Монитор']
const LINES = ['Вектор', 'Сокол', 'Радуга', 'Гранит', 'Полюс']

/** Requests of customers and staff in a shop of that many products. */
export function growthCases(products: number, categoryIds: number[], token: string): GrowthCase[] {
  const random = new Random(20_261_122)
  const headers = { authorization: `Bearer ${token}` }
  const words = KINDS.flatMap((kind) => kind.split(' '))
  const list = (query: string, turn: number, more = {}): BenchRequest => ({
    method: 'GET',
    path: `/api/v1/products?size=20&minPrice=${turn / 100}${query}`,
    headers: more,
  })
  const search = (text: string, turn: number) => list(`&search=${encodeURIComponent(text)}`, turn)
  const deep = Math.floor((products * 0.8) / 20)
  return [
    { name: 'list', next: (turn) => list('', turn) },
    {
      name: 'category by price',
      next: (turn) => list(`&sort=price,asc&categoryId=${categoryIds[turn % categoryIds.length]}`, turn),
    },
    { name: 'deep page by name', next: (turn) => list(`&sort=name,asc&page=${deep - (turn % 10)}`, turn) },
    { name: 'search of one word', next: (turn) => search(random.pick(words), turn) },
    {
      name: 'search of two words',
      next: (turn) => search(`${random.pick(words)} ${random.pick(LINES)}`, turn),
    },
    { name: 'search of a misspelt word', next: (turn) => search(misspelt(random.pick(words), random), turn) },
    {
      name: 'suggest',
      next: (turn) => {
        const typed = `${random.pick(words)} ${turn.toString(16)}`
        return { method: 'GET', path: `/api/v1/products/suggest?q=${encodeURIComponent(typed)}` }
      },
    },
    {
      name: 'facets',
      next: (turn) => ({ method: 'GET', path: `/api/v1/products/facets?minPrice=${turn / 100}` }),
    },
    {
      name: 'card',
      next: (turn) => ({ method: 'GET', path: `/api/v1/products/${1 + ((turn * 7919) % products)}` }),
    },
    { name: "staff's products", next: (turn) => list('', turn, headers) },
    { name: 'order of three lines', next: (turn) => order(turn, products) },
  ]
}

function order(turn: number, products: number): BenchRequest {
  const items = [0, 1, 2].map((line) => ({ productId: 1 + ((turn * 3 + line) % products), quantity: 1 }))
  return {
    method: 'POST',
    path: '/api/v1/orders',
    body: { items, customerName: 'Bench', customerPhone: '+7 900 000-00-00' },
  }
}

/** Replaces a letter, except at the beginning. */
function misspelt(word: string, random: Random): string {
  const index = random.int(1, word.length - 1)
  return word.slice(0, index) + random.pick([...'бвгджзклмнпстфхцчшщ']) + word.slice(index + 1)
}
