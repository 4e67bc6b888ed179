import { loginAs } from './accounts.ts'
import { createBrand, createCategory, createProduct } from './factories.ts'
import { startTestShop, type TestShop } from './shop.ts'

export type StockedShop = TestShop & { staff: string; drillId: number }

/** A shop with a storefront and thirty drills, and of everything else that its pages show at least one. */
export async function startStockedShop(): Promise<StockedShop> {
  const shop = await startTestShop({ STOREFRONT_ENABLED: 'true' })
  const { db } = shop.deps
  const tools = await createCategory(db, { name: 'Инструменты', slug: 'tools' })
  const categoryId = await createCategory(db, { name: 'Дрели', slug: 'drills', parentId: tools, showInHomepage: true })
  const brandIds = [await createBrand(db, 'Acme'), await createBrand(db, 'Bolt')]
  const drillId = await createProduct(db, {
    name: 'Дрель ударная Acme 900',
    slug: 'drill-900',
    price: '4990.50',
    stock: 3,
    categoryId,
    brandId: brandIds[0],
    description: '<p>Сверлит <b>бетон</b>.</p>',
    attributes: [{ name: 'Мощность', value: '900 Вт' }],
  })
  for (let n = 1; n < 30; n++) {
    const attributes = [{ name: 'Цвет', value: n % 2 === 0 ? 'красный' : 'синий' }]
    const price = `${1000 + n}.00`
    await createProduct(db, { name: `Дрель ${n}`, price, categoryId, brandId: brandIds[n % 2], attributes })
  }
  await createProduct(db, { name: 'Молоток', slug: 'hammer', categoryId: tools, price: '300.00' })
  const staff = await loginAs(shop, 'ADMIN')
  const send = async (path: string, body: object) => {
    const answer = await shop.call('POST', `/api/v1${path}`, { token: staff, body })
    return Number(Object(answer.body).id)
  }
  const tagId = await send('/tags', { name: 'Для дачи', slug: 'garden' })
  await shop.call('PUT', `/api/v1/products/${drillId}/tags`, { token: staff, body: { tagIds: [tagId] } })
  await send('/banner-blocks', { title: 'Неделя дрелей', linkUrl: '/categories/drills', buttonText: 'Смотреть' })
  await send('/feature-items', { title: 'Доставка за день', description: 'По Москве' })
  const review = { author: 'Анна', rating: 4, text: 'Хорошая дрель', reviewDate: '2026-11-01' }
  await send('/reviews', { ...review, productId: drillId })
  await send('/reviews', { ...review, text: 'Хороший магазин' })
  return { ...shop, staff, drillId }
}
