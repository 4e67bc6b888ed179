import { XMLValidator } from 'fast-xml-parser'
import { sql } from 'kysely'
import type { Finding } from './patience.ts'
import type { Instance, World } from './world.ts'

/** Checks that the published feed is well-formed and has exactly the offers that SQL finds. */
export async function checkFeed(world: World, instance?: Instance): Promise<Finding[]> {
  const { status, text } = await world.call('GET', '/api/v1/yml-catalog.xml', { token: undefined }, instance)
  if (status !== 200) return [{ kind: 'lost', what: `the feed: ${status} ${text.slice(0, 200)}` }]
  const valid = XMLValidator.validate(text)
  if (valid !== true) return [{ kind: 'wrong', what: `the feed: ${valid.err.msg}` }]
  const offers = [...text.matchAll(/<offer id="(\d+)"/g)].map(([, id]) => Number(id))
  const expected = await offersInSql(world)
  const missing = expected.filter((id) => !offers.includes(id))
  const extra = offers.filter((id) => !expected.includes(id))
  if (missing.length + extra.length === 0 && offers.length === expected.length) return []
  return [{ kind: 'wrong', what: `the feed lacks offers ${missing} and has ${extra} of ${offers.length}` }]
}

async function offersInSql({ db }: World): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive shown as (
      select id from categories
      where enabled and not auto_hidden_by_visibility_sync and parent_id is null
      union all
      select child.id from categories child join shown on child.parent_id = shown.id
      where enabled and not auto_hidden_by_visibility_sync
    )
    select id from products
    where active and final_price > 0 and category_id in (select id from shown)
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}
