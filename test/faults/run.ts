import { writeFile } from 'node:fs/promises'
import PQueue from 'p-queue'
import { flowNamed, strikeFlow } from './crash-points.ts'
import { FLOWS } from './flows/index.ts'
import { describe } from './patience.ts'
import { startPostgres } from './postgres.ts'
import { type PointResult, pointText, printPoints, printRounds, readPoint } from './report.ts'
import { playRound, type RoundResult } from './rounds.ts'

/**
 * Kills and cuts a real shop at its messages, and lets random faults strike three instances; then checks that nothing is
 * lost, doubled, stuck or wrong (docs/reliability.md).
 *
 * FLOWS: comma-separated flows, and `random`. POINTS: crash points per flow (0: all). POINT: one point, as a finding names
 * it. MINUTES: how long new rounds of random faults begin. SEED: which points and faults. PARALLEL: flows at a time.
 * RESULTS: file for the results as JSON.
 */
const { env } = process
const POINTS = Number(env.POINTS ?? 40) || Number.POSITIVE_INFINITY
const MINUTES = Number(env.MINUTES ?? 10)
const SEED = Number(env.SEED ?? Math.floor(Math.random() * 1e6))
const PARALLEL = Number(env.PARALLEL ?? 3)
const FAULTS_PER_ROUND = 20
const names = env.FLOWS?.split(',') ?? [...FLOWS.map(({ name }) => name), 'random']

const points: PointResult[] = []
const rounds: RoundResult[] = []
const failures: string[] = []
const postgres = await startPostgres()
try {
  const queue = new PQueue({ concurrency: PARALLEL })
  for (const name of names.filter((one) => one !== 'random')) {
    const only = env.POINT ? readPoint(name, env.POINT) : undefined
    const options = { points: POINTS, seed: SEED, only, report }
    void queue.add(() => strikeFlow(postgres, flowNamed(name), options).catch(failed(name)))
  }
  await queue.onIdle()
} finally {
  await postgres.stop()
}
// With a server of its own, which the faults restart.
if (names.includes('random')) await playRounds().catch(failed('random'))

if (points.length > 0) printPoints(points)
if (rounds.length > 0) printRounds(rounds)
for (const failure of failures) console.log(`\n${failure}`)
console.log(`\nSEED=${SEED}`)
if (env.RESULTS) {
  await writeFile(env.RESULTS, JSON.stringify({ seed: SEED, points, rounds, failures }, null, 2))
}
const found = [...points, ...rounds].some(({ findings }) => findings.length > 0)
process.exitCode = found || failures.length > 0 ? 1 : 0

async function playRounds(): Promise<void> {
  const server = await startPostgres()
  const end = Date.now() + MINUTES * 60_000
  try {
    for (let seed = SEED; seed === SEED || Date.now() < end; seed++) {
      rounds.push(await playRound(server, seed, FAULTS_PER_ROUND))
    }
  } finally {
    await server.stop()
  }
}

function report(result: PointResult): void {
  points.push(result)
  const { point, struck, recoveryMs, findings } = result
  const outcome = findings.map(({ kind, what }) => `${kind}: ${what}`).join('; ') || 'ok'
  console.error(`${point.flow} ${pointText(point)} ${struck ?? 'not reached'} ${recoveryMs ?? ''} ${outcome}`)
}

function failed(name: string) {
  return (error: unknown) => {
    failures.push(`${name}: ${describe(error)}`)
    console.error(error)
  }
}
