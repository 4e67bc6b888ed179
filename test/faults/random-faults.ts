import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Faults } from '../support/faulty-supplier.ts'
import { untilDone } from './patience.ts'
import type { Postgres } from './postgres.ts'
import type { Instance, World } from './world.ts'

type Scene = { world: World; instance: Instance; postgres: Postgres; random: () => number }
/** Makes something fail, and resolves with what repairs it. */
type Fault = (scene: Scene) => Promise<() => unknown>

/** How long a fault lasts. */
const LASTING_MS = { min: 200, max: 4000 }
const FOLDER_BYTES = 32 * 1024 * 1024

const supplierFault =
  (settings: Partial<Faults>): Fault =>
  async ({ world: { supplier } }) => {
    supplier.faults.set(settings)
    return () => supplier.faults.reset()
  }

const proxyFault =
  (which: 'supplier' | 'storage' | 'mail', state: 'silent' | 'closed'): Fault =>
  async ({ world: { proxies } }) => {
    proxies[which].set(state)
    return () => proxies[which].set('open')
  }

export const RANDOM_FAULTS: { [name: string]: Fault } = {
  async kill({ instance }) {
    await instance.kill()
    return () => untilDone('the process', () => instance.start())
  },
  async pause({ instance }) {
    instance.signal('SIGSTOP')
    return () => instance.signal('SIGCONT')
  },
  async 'database connections cut'({ instance }) {
    instance.database.cut()
    return () => {}
  },
  async 'database half-open'({ instance }) {
    instance.database.set('silent')
    return () => instance.database.set('open')
  },
  async 'database refuses'({ instance }) {
    instance.database.set('closed')
    return () => instance.database.set('open')
  },
  async 'database restart'({ postgres }) {
    await postgres.restart()
    return () => {}
  },
  'supplier: 500': supplierFault({ failEvery: 2 }),
  'supplier: slow': supplierFault({ latencyMs: 1500 }),
  'supplier: cut answers': supplierFault({ cutEvery: 2 }),
  'supplier: wrong pages': supplierFault({
    replaceNext: 3,
    replaceBody: { items: [], page: 7, nextPage: null },
  }),
  'supplier: HTML': supplierFault({ malformedNext: 3 }),
  'supplier: lost answers': supplierFault({ loseAnswerNext: 2 }),
  'supplier: endless list': supplierFault({ stuckNextPage: true }),
  'supplier silent': proxyFault('supplier', 'silent'),
  'supplier gone': proxyFault('supplier', 'closed'),
  'storage silent': proxyFault('storage', 'silent'),
  'storage gone': proxyFault('storage', 'closed'),
  'mail silent': proxyFault('mail', 'silent'),
  'mail gone': proxyFault('mail', 'closed'),
  async 'disk full'({ instance }) {
    const filler = join(instance.dataDir, 'filler')
    await writeFile(filler, Buffer.alloc(FOLDER_BYTES)).catch(() => {})
    return () => rm(filler, { force: true })
  },
}

/** Gives an instance a small file system of its own, which can be filled. @returns whether the machine allows it */
export function limitDisk({ dataDir }: Instance): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${FOLDER_BYTES}`, 'tmpfs', dataDir], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

export function unlimitDisk({ dataDir }: Instance): void {
  execFileSync('umount', ['--lazy', dataDir])
}

/**
 * Lets one fault strike and repairs it.
 * @returns milliseconds from the repair until every instance is ready
 */
export async function strikeOnce(fault: Fault, scene: Scene, instances: Instance[]): Promise<number> {
  const repair = await fault(scene)
  await delay(LASTING_MS.min + scene.random() * (LASTING_MS.max - LASTING_MS.min))
  const began = performance.now()
  await repair()
  await Promise.all(instances.map((instance) => untilReady(scene.world, instance)))
  return Math.round(performance.now() - began)
}

async function untilReady({ call }: World, instance: Instance): Promise<void> {
  await untilDone('readiness', async () => {
    // A process must survive every fault; one that ended is an error of the campaign's last check.
    if (instance.died()) return
    await call('GET', '/health/ready', { token: undefined, timeoutMs: 5000 }, instance)
  })
}
