import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { throwDown } from '../../../src/clients/storage/storage.ts'
import { storeImage } from '../../../src/services/media/store.ts'
import { drawVariantsAhead } from '../../../src/services/media/variants.ts'
import { loginAs } from '../../support/accounts.ts'
import { newImage } from '../../support/images.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())
afterEach(async () => {
  await shop.deps.db.deleteFrom('images').execute()
  await shop.deps.storage.delete(await objects())
})

const objects = async () => (await Array.fromAsync(shop.deps.storage.list('images/'))).map(({ key }) => key).toSorted()
const variants = async () => (await objects()).map((key) => key.split('/').at(-1)).toSorted()
const store = async (width: number) => {
  const bytes = await newImage({ width, height: 60 })
  return storeImage(shop.deps, { bytes, fileName: 'a.png' })
}

test('draws the common widths of new images once, none wider than necessary', async () => {
  await store(1000)
  await store(400)
  await drawVariantsAhead(shop.deps)
  const drawn = ['320.avif', '320.avif', '480.avif', '640.avif', '960.avif', 'original', 'original']
  expect(await variants()).toEqual(drawn)
  await shop.deps.storage.delete((await objects()).filter((key) => key.endsWith('.avif')))
  await drawVariantsAhead(shop.deps)
  expect(await variants()).toEqual(['original', 'original'])
})

test('draws those of a replaced image anew', async () => {
  const { id } = await store(100)
  await drawVariantsAhead(shop.deps)
  const before = await objects()
  const form = new FormData()
  form.append('file', new File([new Uint8Array(await newImage({ width: 200, height: 60 }))], 'b.png'))
  const token = await loginAs(shop, 'EDITOR')
  expect((await shop.call('PUT', `/api/v1/images/${id}/replace`, { token, form })).status).toBe(200)
  await drawVariantsAhead(shop.deps)
  expect(await variants()).toEqual(['320.avif', 'original'])
  expect(await objects()).not.toEqual(before)
})

test('a damaged original stops one run, and is not tried again', async () => {
  await store(100)
  const { id } = await store(100)
  const row = await shop.deps.db
    .selectFrom('images')
    .select('storage_key')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const key = `${row.storage_key}/original`
  await shop.deps.storage.put(key, Buffer.from('damaged'), { contentType: 'image/png' })
  await expect(drawVariantsAhead(shop.deps)).rejects.toThrow()
  expect(await variants()).toEqual(['original', 'original'])
  await drawVariantsAhead(shop.deps)
  expect(await variants()).toEqual(['160.avif', 'original', 'original'])
})

test('stops while the storage is down, and draws the other images afterwards', async () => {
  for (let count = 0; count < 3; count++) await store(100 + count)
  const down = async () => throwDown(new Error('no disk'))
  const storage = { ...shop.deps.storage, open: down }
  await drawVariantsAhead({ ...shop.deps, storage })
  await drawVariantsAhead(shop.deps)
  expect((await variants()).filter((name) => name?.endsWith('.avif'))).toHaveLength(2)
})

test('several instances share the work', async () => {
  for (let count = 0; count < 12; count++) await store(100 + count)
  const drawn: string[] = []
  const { imageWorker } = shop.deps
  const counting = {
    ...shop.deps,
    imageWorker: {
      ...imageWorker,
      draw(...call: Parameters<typeof imageWorker.draw>) {
        drawn.push(String(call[1]))
        return imageWorker.draw(...call)
      },
    },
  }
  await Promise.all([drawVariantsAhead(counting), drawVariantsAhead(counting)])
  expect(drawn).toHaveLength(12)
})
