import { accepted } from '../client.ts'
import type { Finding } from '../patience.ts'
import type { World } from '../world.ts'
import type { Flow } from './index.ts'

type Run = { id: number; status: string; error: string }

/** Runs all six stages of the XML pipeline; a failed run is continued, as staff would. */
export const pipeline: Flow = {
  name: 'pipeline',
  world: { products: 60 },
  async prepare(world) {
    world.supplier.catalogue.changeSome(10)
    return {
      async act() {
        const { content } = accepted<{ content: Run[] }>(
          await world.call('GET', '/api/v1/admin/xml-pipeline/runs?size=1'),
          200,
        )
        const [last] = content
        const path =
          last?.status === 'FAILED' ? `/api/v1/admin/xml-pipeline/runs/${last.id}/retry` : '/api/v1/admin/xml-feed/sync'
        const { status, error } = accepted<Run>(await world.call('POST', `${path}?wait=true`), 200)
        if (status !== 'SUCCEEDED') throw new Error(`The run ${status}: ${error}`)
      },
      check: () => checkSnapshot(world),
    }
  },
}

/** The newest snapshot has each offer of the feed once, and each product its page. */
async function checkSnapshot({ db, call, supplier }: World): Promise<Finding[]> {
  const feed = await (await fetch(supplier.feedUrl)).text()
  const offers = [...feed.matchAll(/<offer /g)].length
  const snapshot = await db
    .selectFrom('xml_snapshots')
    .select(['id', 'offers'])
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const stored = await db
    .selectFrom('xml_snapshot_offers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('snapshot_id', '=', snapshot?.id ?? 0)
    .executeTakeFirstOrThrow()
  const runs = await call('GET', '/api/v1/admin/xml-pipeline/runs?size=1')
  const { content } = accepted<{ content: (Run & { stages: { stage: string; status: string }[] })[] }>(runs, 200)
  const unfinished = content.flatMap(({ stages }) => stages.filter(({ status }) => status !== 'SUCCEEDED'))
  const found: Finding[] = unfinished.map(({ stage, status }) => ({
    kind: 'stuck',
    what: `${stage} ${status}`,
  }))
  if (snapshot?.offers !== offers || Number(stored.count) !== offers)
    found.push({ kind: 'lost', what: `snapshot ${snapshot?.id} has ${stored.count} of ${offers} offers` })
  return found
}
