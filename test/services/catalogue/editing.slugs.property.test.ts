import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

/** Edits of slugs; numbers select an existing product, or a slug that some product has or had. */
type Step =
  | { do: 'create'; name: string }
  | { do: 'rename'; product: number; slug: string }
  | { do: 'take'; product: number; old: number }
  | { do: 'regenerate'; product: number; name: string }
  | { do: 'delete'; product: number }

const nat = fc.nat({ max: 1000 })
const name = fc.constantFrom('Дрель', 'Дрель 2', 'drel', '!!!', 'Drel-3', 'Search')
const slug = fc.constantFrom('drel', 'drel-2', 'drel-3', 'drel-2-2', 'product-1', 'a')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), name }),
  fc.record({ do: fc.constant('rename' as const), product: nat, slug }),
  fc.record({ do: fc.constant('take' as const), product: nat, old: nat }),
  fc.record({ do: fc.constant('regenerate' as const), product: nat, name }),
  fc.record({ do: fc.constant('delete' as const), product: nat }),
)

type Model = { alive: Map<number, string>; owners: Map<string, number> }

async function send(method: string, path: string, body?: unknown) {
  return shop.call(method, `/api/v1/products${path}`, {
    token: admin,
    ...(body === undefined ? {} : { body }),
  })
}

/** Makes the edit and records the slug's owner; expects an error only for another record's slug. */
async function perform(done: Step, { alive, owners }: Model): Promise<void> {
  const note = (body: unknown) => {
    const { id, slug: given } = body as { id: number; slug: string }
    expect([given, owners.get(given) ?? id]).toEqual([given, id])
    alive.set(id, given)
    owners.set(given, id)
  }
  if (done.do === 'create') return note((await send('POST', '', { name: done.name })).body)
  const ids = [...alive.keys()]
  const id = ids[done.product % ids.length]
  if (id === undefined) return
  if (done.do === 'delete') {
    expect((await send('DELETE', `/${id}`)).status).toBe(204)
    alive.delete(id)
    for (const [old, owner] of [...owners]) if (owner === id) owners.delete(old)
    return
  }
  if (done.do === 'regenerate') {
    await send('PATCH', `/${id}`, { name: done.name })
    return note((await send('POST', `/${id}/slug/regenerate`)).body)
  }
  const known = [...owners.keys()]
  const wanted = done.do === 'rename' ? done.slug : (known[done.old % known.length] ?? 'a')
  const answer = await send('PUT', `/${id}/slug`, { slug: wanted })
  const taken = (owners.get(wanted) ?? id) !== id
  expect([wanted, answer.status]).toEqual([wanted, taken ? 409 : 200])
  if (!taken) note(answer.body)
}

/** Every slug ever used leads to its record in one hop at most, or to a 404 after its deletion. */
async function check(ever: Set<string>, { alive, owners }: Model): Promise<void> {
  for (const old of ever) {
    const owner = owners.get(old)
    const answer = await shop.call('GET', `/products/by-slug/${old}`)
    if (owner === undefined) {
      expect([old, answer.status]).toEqual([old, 404])
      continue
    }
    const present = alive.get(owner)
    if (present === old) expect(answer).toMatchObject({ status: 200, body: { id: owner, slug: old } })
    else {
      expect([old, answer.status, answer.headers.get('location')]).toEqual([old, 301, `/products/by-slug/${present}`])
      expect((await shop.call('GET', `/products/by-slug/${present}`)).body).toMatchObject({ id: owner })
    }
  }
  expect(new Set(alive.values()).size).toBe(alive.size)
}

test('leads each slug to one record in one hop, however slugs are set, reverted and freed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      const model: Model = { alive: new Map(), owners: new Map() }
      const ever = new Set<string>()
      for (const one of steps) {
        await perform(one, model)
        for (const known of model.owners.keys()) ever.add(known)
      }
      await check(ever, model)
      for (const id of model.alive.keys()) expect((await send('DELETE', `/${id}`)).status).toBe(204)
      const left = await shop.deps.db.selectFrom('slug_history').select('slug').execute()
      expect(left).toEqual([])
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 4) },
  )
})

test('redirects a former slug in one hop after many renames, and back without a loop', async () => {
  const { id } = (await send('POST', '', { name: 'Первое имя' })).body as { id: number }
  for (const slug of ['second', 'third', 'fourth']) await send('PUT', `/${id}/slug`, { slug })
  for (const prefix of ['', '/api/v1']) {
    for (const old of ['pervoe-imya', 'second', 'third']) {
      const moved = await shop.call('GET', `${prefix}/products/by-slug/${old}`)
      expect([moved.status, moved.headers.get('location')]).toEqual([301, `${prefix}/products/by-slug/fourth`])
    }
  }
  expect((await send('PUT', `/${id}/slug`, { slug: 'second' })).status).toBe(200)
  expect((await shop.call('GET', '/products/by-slug/second')).status).toBe(200)
  expect((await shop.call('GET', '/products/by-slug/fourth')).headers.get('location')).toBe('/products/by-slug/second')
  const other = (await send('POST', '', { name: 'Другой' })).body as { id: number }
  for (const slug of ['second', 'third', 'fourth']) {
    expect(await send('PUT', `/${other.id}/slug`, { slug })).toMatchObject({
      status: 409,
      body: { code: 'SLUG_TAKEN' },
    })
  }
  for (const slug of ['', 'Second', '-a', 'a--b', 'search', 'я', 'a'.repeat(121), 'a'.repeat(600)]) {
    expect([slug, (await send('PUT', `/${id}/slug`, { slug })).status]).toEqual([slug, 400])
  }
  expect((await send('POST', `/${id}/slug/regenerate`)).body).toMatchObject({ slug: 'pervoe-imya' })
})
