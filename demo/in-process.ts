import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateCatalogue } from './generate.ts'
import { readCatalogue } from './read-catalogue.ts'
import { type DemoSupplier, type DemoSupplierOptions, startDemoSupplier } from './supplier.ts'

type Options = {
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
 * Starts the demo supplier in the shop's process. Its catalogue is new at each start, so every product is marked as
 * changed; otherwise a shop that has synced before would not read it again.
 */
export async function startInProcess({ dataDir, demo, supplier }: Options): Promise<DemoSupplier> {
  const catalogue = demo.catalogue ? await readCatalogue(demo.catalogue) : generateCatalogue()
  catalogue.touch()
  const { token, username, password, authType, timeZone } = supplier
  const credentials = { token, username, password, authType, timeZone }
  return startOnLastPort(dataDir, { ...credentials, catalogue, changesPerMinute: demo.changesPerMinute })
}

/** Reuses the port of the last start if it is free, so that the URLs of product pages stay valid. */
async function startOnLastPort(dataDir: string, options: DemoSupplierOptions): Promise<DemoSupplier> {
  const portFile = join(dataDir, 'demo-supplier-port')
  const port = await readPort(portFile)
  const started = await startDemoSupplier({ ...options, port }).catch((error: unknown) => {
    if (port === 0 || !isTaken(error)) throw error
    return startDemoSupplier({ ...options, port: 0 })
  })
  await writeFile(portFile, `${new URL(started.siteUrl).port}\n`)
  return started
}

/** @returns 0, for any free port, without a valid file */
async function readPort(portFile: string): Promise<number> {
  const text = await readFile(portFile, 'utf8').catch(() => '')
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : 0
}

function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EADDRINUSE' || code === 'EACCES'
}
