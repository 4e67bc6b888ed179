import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserRow } from '../../../db/tables/users.ts'
import { AppError } from '../../../src/errors.ts'
import { inOrder } from '../../../src/rules/catalogue/category-tree.ts'
import { readTree } from '../../../src/services/catalogue/categories.ts'
import {
  deleteCategory,
  moveCategory,
  reorderCategories,
  updateCategory,
} from '../../../src/services/catalogue/category-editing.ts'
import { createUser } from '../../support/accounts.ts'
import { emptyTables } from '../../support/database.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// For any parents from the supplier, unknown ones included, edits of the shown tree give what a model predicts that knows
// nothing of how the tree is stored.

let shop: TestShop
let actor: UserRow

beforeAll(async () => {
  shop = await startTestShop()
  actor = await createUser(shop, 'EDITOR')
})
afterAll(() => shop.close())

/** The parent of each category and its order there. */
type Model = Map<number, { parent: number | null; order: number }>

type Step =
  | { do: 'move'; id: number; parent: number | null; position: number }
  | { do: 'put'; id: number; parent: number | null }
  | { do: 'reorder'; parent: number | null; seed: number }
  | { do: 'delete'; id: number }

const id = fc.integer({ min: 1, max: 6 })
const parent = fc.option(id, { nil: null, freq: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('move' as const), id, parent, position: fc.nat(7) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('put' as const), id, parent }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reorder' as const), parent, seed: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), id }) },
)
/** The supplier's parents: any category that comes later, or a missing one. */
const supplied = fc.array(fc.record({ parent, waiting: fc.nat(5), order: fc.nat(2) }), {
  minLength: 6,
  maxLength: 6,
})

function childrenOf(model: Model, below: number | null): number[] {
  const children = [...model].filter(([, { parent: of }]) => of === below)
  return children.sort(([a, of], [b, and]) => of.order - and.order || a - b).map(([child]) => child)
}

function isBelow(model: Model, one: number | null, top: number): boolean {
  for (let up = one; up !== null; up = model.get(up)?.parent ?? null) if (up === top) return true
  return false
}

/** Applies the step to the model. @returns the code of the expected error */
function apply(model: Model, made: Step): string | null {
  if (made.do === 'reorder') {
    if (made.parent !== null && !model.has(made.parent)) return 'VALIDATION_FAILED'
    for (const [order, child] of shuffled(childrenOf(model, made.parent), made.seed).entries()) {
      model.set(child, { parent: made.parent, order })
    }
    return null
  }
  const own = model.get(made.id)
  if (own === undefined) return 'NOT_FOUND'
  if (made.do === 'delete') {
    for (const child of childrenOf(model, made.id)) {
      model.set(child, { parent: null, order: model.get(child)?.order ?? 0 })
    }
    model.delete(made.id)
    return null
  }
  if (made.parent !== null && !model.has(made.parent)) return 'VALIDATION_FAILED'
  if (isBelow(model, made.parent, made.id)) return 'CATEGORY_CYCLE'
  if (made.do === 'put') {
    model.set(made.id, { ...own, parent: made.parent })
    return null
  }
  const siblings = childrenOf(model, made.parent).filter((one) => one !== made.id)
  siblings.splice(made.position, 0, made.id)
  for (const [order, child] of siblings.entries()) model.set(child, { parent: made.parent, order })
  return null
}

function shuffled(ids: number[], seed: number): number[] {
  return ids.toSorted((a, b) => ((a * 7919 + seed) % 13) - ((b * 7919 + seed) % 13) || a - b)
}

async function perform(model: Model, made: Step): Promise<string | null> {
  const { deps } = shop
  const target = (id: number) => ({ id, ifMatch: undefined })
  try {
    if (made.do === 'delete') await deleteCategory(deps, actor, target(made.id))
    else if (made.do === 'put') {
      const name = `Category ${made.id}`
      await updateCategory(deps, actor, target(made.id), { name, parentId: made.parent })
    } else if (made.do === 'move') {
      const { parent: parentId, position } = made
      await moveCategory(deps, actor, target(made.id), { parentId, position })
    } else {
      const ids = shuffled(childrenOf(model, made.parent), made.seed)
      await reorderCategories(deps, actor, { parentId: made.parent, ids })
    }
    return null
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

async function fill(categories: { parent: number | null; waiting: number; order: number }[]): Promise<void> {
  const rows = categories.map(({ parent: of, waiting, order }, index) => ({
    id: index + 1,
    parent: waiting === 0 || of === null || of <= index + 1 ? null : of,
    named: waiting === 0 ? 'unknown' : of && `c${of}`,
    order,
  }))
  await emptyTables(shop.deps.db, 'categories, deleted_categories')
  await sql`
    insert into categories (id, external_id, name, slug, parent_id, parent_external_id, display_order)
    select id, 'c' || id, 'Category ' || id, 'c' || id, parent, named, "order"
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(id int, parent int, named text, "order" int)`.execute(
    shop.deps.db,
  )
}

/** The shown tree: the children of each category in order. */
async function shown(): Promise<Map<number | null, number[]>> {
  const tree = await readTree(shop.deps.db)
  return groups(inOrder(tree).map(({ row, parent: of }): [number, number | null] => [row.id, of?.row.id ?? null]))
}

function groups(pairs: [number, number | null][]): Map<number | null, number[]> {
  const all = new Map<number | null, number[]>()
  for (const [child, below] of pairs) all.set(below, [...(all.get(below) ?? []), child])
  return all
}

const expected = (model: Model): Map<number | null, number[]> => {
  const parents = new Set([...model.values()].map(({ parent: of }) => of))
  return new Map([...parents].map((below) => [below, childrenOf(model, below)]))
}

test('edits the shown tree as a model predicts: moves, updates of parents, reorders, deletions', async () => {
  await fc.assert(
    fc.asyncProperty(supplied, fc.array(step, { minLength: 1, maxLength: 8 }), async (categories, steps) => {
      await fill(categories)
      const tree = await readTree(shop.deps.db)
      const model: Model = new Map(
        inOrder(tree).map(({ row, parent: of }) => [row.id, { parent: of?.row.id ?? null, order: row.display_order }]),
      )
      expect(await shown()).toEqual(expected(model))
      for (const made of steps) {
        const refusal = await perform(model, made)
        expect([made, refusal]).toEqual([made, apply(model, made)])
        expect([made, await shown()]).toEqual([made, expected(model)])
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 10) },
  )
})
