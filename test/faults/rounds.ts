import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { seeded } from '../support/generated-requests.ts'
import { compareInstances } from './compare.ts'
import { checkMails, DELIVERY_MS } from './flows/mail.ts'
import { checkCatalogue, runSync } from './flows/sync.ts'
import { commonInvariants } from './invariants.ts'
import { describe, type Finding, untilDone, untilFine } from './patience.ts'
import type { Postgres } from './postgres.ts'
import { checkFeed } from './published.ts'
import { limitDisk, RANDOM_FAULTS, strikeOnce, unlimitDisk } from './random-faults.ts'
import { type Confirmed, startTraffic } from './traffic.ts'
import { startWorld, type World } from './world.ts'

const INSTANCES = 3
const MAX_PAUSE_MS = 1500

export type RoundResult = {
  seed: number
  /** Milliseconds until all instances were ready again. */
  faults: { name: string; recoveryMs: number }[]
  requests: number
  unanswered: number
  slowestMs: number
  orders: number
  findings: Finding[]
  log: string
}

/** Three instances under random traffic and faults; then quiet, and everything is compared with SQL. */
export async function playRound(postgres: Postgres, seed: number, faults: number): Promise<RoundResult> {
  const random = seeded(seed)
  const world = await startWorld(postgres, { s3: true, jobs: true })
  const instances = [world.instance]
  while (instances.length < INSTANCES) instances.push(await world.addInstance())
  const canFill = instances.map(limitDisk).every(Boolean)
  const startAll = () => Promise.all(instances.map((instance) => untilDone('the process', () => instance.start())))
  await world.instance.kill()
  await startAll()
  const names = Object.keys(RANDOM_FAULTS).filter((name) => canFill || name !== 'disk full')
  const result: RoundResult = {
    seed,
    faults: [],
    requests: 0,
    unanswered: 0,
    slowestMs: 0,
    orders: 0,
    findings: [],
    log: '',
  }
  const traffic = startTraffic(world, instances, random)
  try {
    while (result.faults.length < faults) {
      const name = names[Math.floor(random() * names.length)] ?? ''
      const instance = instances[Math.floor(random() * instances.length)]
      const fault = RANDOM_FAULTS[name]
      if (fault === undefined || instance === undefined) continue
      const recoveryMs = await strikeOnce(fault, { world, instance, postgres, random }, instances)
      result.faults.push({ name, recoveryMs })
      console.error(`round ${seed}: ${name} ${recoveryMs}`)
      await delay(random() * MAX_PAUSE_MS)
    }
    await traffic.stop()
    const died = instances.filter((instance) => instance.died())
    for (const _ of died) result.findings.push({ kind: 'wrong', what: 'a process ended by itself' })
    await startAll()
    await untilDone('the last sync', () => runSync(world, '&full=true'))
    result.findings.push(...(await untilFine(() => checkRound(world, traffic.confirmed))))
    result.findings.push(...(await untilFine(() => checkMails(world), DELIVERY_MS)))
    result.findings.push(...(await compareInstances(world, instances)))
    for (const instance of instances) result.findings.push(...(await checkFeed(world, instance)))
  } catch (error) {
    result.findings.push({ kind: 'stuck', what: describe(error) })
  } finally {
    await traffic.stop()
    const { requests, unanswered, slowestMs, orders } = traffic.confirmed
    Object.assign(result, { requests, unanswered, slowestMs: Math.round(slowestMs), orders: orders.size })
    if (result.findings.length > 0)
      result.log = instances.map((instance) => instance.output().slice(-50_000)).join('\n\n\n')
    for (const instance of instances) await instance.kill()
    if (canFill) instances.forEach(unlimitDisk)
    await world.close()
  }
  return result
}

async function checkRound(world: World, { orders, images }: Confirmed): Promise<Finding[]> {
  const { db, supplier } = world
  const found: Finding[] = []
  const stored = await db.selectFrom('orders').select(['id', 'customer_name', 'status', 'external_id']).execute()
  for (const [name, ids] of orders) {
    const ofName = stored.filter(({ customer_name }) => customer_name === name).map(({ id }) => id)
    if (ofName.length === 0) found.push({ kind: 'lost', what: `order ${ids}` })
    if (ofName.length > 1 || new Set(ids).size > 1) found.push({ kind: 'doubled', what: `order ${ids}: ${ofName}` })
  }
  for (const { id, status, external_id } of stored) {
    const received = supplier.orders.filter(({ reference }) => reference === String(id))
    if (received.length > 1) found.push({ kind: 'doubled', what: `supplier's orders of ${id}` })
    if (external_id !== null && received[0]?.id !== external_id)
      found.push({ kind: 'lost', what: `supplier's order of ${id}, ${status}` })
  }
  for (const [id, sha256] of images) {
    const { status, bytes } = await world.call('GET', `/api/v1/images/${id}`, { token: undefined })
    if (status !== 200 || createHash('sha256').update(bytes).digest('hex') !== sha256)
      found.push({ kind: 'lost', what: `image ${id}: ${status}` })
  }
  const parts = [commonInvariants(world, { stockFalls: true }), checkCatalogue(world)]
  return [...found, ...(await Promise.all(parts)).flat()]
}
