import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateCatalogue } from './generate.ts'
import { readCatalogue } from './read-catalogue.ts'
import { type DemoSupplier, type DemoSupplierOptions, startDemoSupplier } from './supplier.ts'

type Wishes = {
  dataDir: string
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
export async function startInProcess({ dataDir, demo, supplier }: Wishes): Promise<DemoSupplier> {
  const catalogue = demo.catalogue ? await readCatalogue(demo.catalogue) : generateCatalogue()
  catalogue.touch()
  const { token, username, password, authType, timeZone } = supplier
  const credentials = { token, username, password, authType, timeZone }
  return startWhereItWas(dataDir, { ...credentials, catalogue, changesPerMinute: demo.changesPerMinute })
}

/** On the port of the last start, unless somebody else has it: products' pages keep their addresses. */
async function startWhereItWas(dataDir: string, options: DemoSupplierOptions): Promise<DemoSupplier> {
  const note = join(dataDir, 'demo-supplier-port')
  const port = await readPort(note)
  const started = await startDemoSupplier({ ...options, port }).catch((error: unknown) => {
    if (port === 0 || !isTaken(error)) throw error
    return startDemoSupplier({ ...options, port: 0 })
  })
  await writeFile(note, `${new URL(started.siteUrl).port}\n`)
  return started
}

/** @returns 0, any free port, when none is noted */
async function readPort(note: string): Promise<number> {
  const text = await readFile(note, 'utf8').catch(() => '')
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : 0
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EADDRINUSE' || code === 'EACCES'
}
