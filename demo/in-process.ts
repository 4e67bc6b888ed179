import { generateCatalogue } from './generate.ts'
import { readCatalogue } from './read-catalogue.ts'
import { type DemoSupplier, startDemoSupplier } from './supplier.ts'

type Wishes = {
  demo: { catalogue: string | undefined; changesPerMinute: number }
  supplier: {
    token: string
    username: string
    password: string
    authType: 'TOKEN' | 'BASIC'
    timeZone: string
  }
}

/**
 * The demo supplier inside the shop's process. Its figures start from the beginning with each start, so everything
 * counts as changed now: otherwise a shop that was filled earlier would keep what it read before.
 */
export async function startInProcess({ demo, supplier }: Wishes): Promise<DemoSupplier> {
  const catalogue = demo.catalogue ? await readCatalogue(demo.catalogue) : generateCatalogue()
  catalogue.touch()
  return startDemoSupplier({ ...supplier, catalogue, changesPerMinute: demo.changesPerMinute })
}
