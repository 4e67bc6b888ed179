import { seeded } from '../support/generated-requests.ts'
import { FLOWS, type Flow, type Step } from './flows/index.ts'
import { commonInvariants } from './invariants.ts'
import { describe, type Finding, Stuck, untilDone, untilFine } from './patience.ts'
import type { Postgres } from './postgres.ts'
import type { Point, PointResult } from './report.ts'
import { startWorld, type World } from './world.ts'

const FAULTS = ['kill', 'cut'] as const
const LOG_LENGTH = 20_000
const SIDES = ['before', 'after'] as const

type StrikeOptions = {
  /** At most so many, spread evenly. */
  points: number
  seed: number
  /** This one alone. */
  only: Point | undefined
  report(result: PointResult): void
}

/**
 * Strikes a flow at its messages, one at a time: kills the process or cuts the connection before or after the message,
 * lets the shop recover, repeats the client's request, and checks the invariants.
 */
export async function strikeFlow(
  postgres: Postgres,
  flow: Flow,
  { points, seed, only, report }: StrikeOptions,
): Promise<void> {
  let world: World | null = null
  const openWorld = async () => {
    const opened = await startWorld(postgres, flow.world)
    await flow.begin?.(opened)
    return opened
  }
  try {
    world = await openWorld()
    // Once with cold caches, so that the second counts what most points meet.
    await countMessages(world, flow)
    const messages = await countMessages(world, flow)
    for (const point of only ? [only] : choosePoints(flow.name, messages, points, seeded(seed))) {
      const result: PointResult = await strikePoint(world, flow, point)
      report({ ...result, messages })
      if (result.findings.length === 0) continue
      // What is wrong now would be found again at each further point.
      await world.close()
      world = null
      world = await openWorld()
    }
    const late = (await flow.end?.(world)) ?? []
    if (late.length > 0)
      report({
        ...emptyResult({ flow: flow.name, message: 0, fault: 'kill', side: 'after' }),
        findings: late,
      })
  } finally {
    await world?.close()
  }
}

export const flowNamed = (name: string): Flow => {
  const flow = FLOWS.find((one) => one.name === name)
  if (flow === undefined) throw new Error(`There is no flow ${name}, only ${FLOWS.map((one) => one.name).join(', ')}`)
  return flow
}

async function countMessages(world: World, flow: Flow): Promise<number> {
  const step = await flow.prepare(world)
  world.meter.start()
  await step.act()
  const messages = world.meter.stop()
  const findings = await check(world, step)
  if (findings.length > 0) throw new Error(`${flow.name} without a fault: ${findings[0]?.what}`)
  return messages
}

/** All points of a flow, or one of each of `atMost` equal parts. */
function choosePoints(flow: string, messages: number, atMost: number, random: () => number): Point[] {
  const all = Array.from({ length: messages }, (_, index) => index + 1).flatMap((message) =>
    FAULTS.flatMap((fault) => SIDES.map((side) => ({ flow, message, fault, side }))),
  )
  if (atMost >= all.length) return all
  const part = all.length / atMost
  const indexes = Array.from({ length: atMost }, (_, index) => Math.floor((index + random()) * part))
  return all.filter((_, index) => indexes.includes(index))
}

const emptyResult = (point: Point): PointResult => ({
  point,
  messages: 0,
  struck: null,
  recoveryMs: null,
  findings: [],
  log: '',
})

async function strikePoint(world: World, flow: Flow, point: Point): Promise<PointResult> {
  const { instance, meter } = world
  const result = emptyResult(point)
  let restarted: Promise<void> = Promise.resolve()
  const hit = (cut: () => void) => {
    if (point.fault === 'kill') restarted = instance.kill().then(() => restart(world))
    cut()
  }
  try {
    const step = await flow.prepare(world)
    meter.start({ at: point.message, when: point.side, hit })
    await untilDone('the client', async () => {
      // A supervisor starts it again; migrations may end a process, since it doesn't serve yet.
      if (instance.died() && !flow.world.empty) {
        result.findings.push({ kind: 'wrong', what: 'the process ended by itself' })
        result.log = instance.output().slice(-LOG_LENGTH)
        await restart(world)
      }
      await step.act()
    })
    meter.stop()
    await restarted
    if (meter.struckAt !== null) result.recoveryMs = Math.round(performance.now() - meter.struckAt)
    result.findings.push(...(await check(world, step)))
  } catch (error) {
    const kind = error instanceof Stuck ? 'stuck' : 'wrong'
    result.findings.push({ kind, what: describe(error) })
  } finally {
    meter.stop()
    result.struck = meter.struck
  }
  if (result.findings.length > 0) result.log ||= instance.output().slice(-LOG_LENGTH)
  return result
}

/** The database may refuse the first start after its connection was cut. */
async function restart({ instance }: World): Promise<void> {
  await untilDone('the process', () => instance.start())
}

async function check(world: World, step: Step): Promise<Finding[]> {
  const own = await untilFine(() => step.check(), step.patienceMs ?? 0)
  return [...own, ...(await untilFine(() => commonInvariants(world), 10_000))]
}
