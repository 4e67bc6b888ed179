import { writeFile } from 'node:fs/promises'
import PQueue from 'p-queue'
import { flowNamed, strikeFlow } from './crash-points.ts'
import { FLOWS } from './flows/index.ts'
import { describe } from './patience.ts'
import { startPostgres } from './postgres.ts'
import { type PointResult, pointText, printPoints, printRequests, printRounds, readPoint } from './report.ts'
import { type RequestsResult, sendRequests } from './requests.ts'
import { playRound, type RoundResult } from './rounds.ts'

/**
 * Kills and cuts a real shop at its messages, and lets random faults strike three instances; then checks that nothing is
 * lost, doubled, stuck or wrong (docs/reliability.md).
 *
 * FLOWS: comma-separated flows, `requests` and `random`. POINTS: crash points per flow (0: all). POINT: one point, as a
 * finding names it. REQUESTS: generated requests. MINUTES: how long new rounds of random faults begin. SEED: which points,
 * requests and faults. PARALLEL: flows at a time. RESULTS: file for the results as JSON.
 */
const { env } = process
const POINTS = Number(env.POINTS ?? 40) || Number.POSITIVE_INFINITY
const MINUTES = Number(env.MINUTES ?? 10)
const REQUESTS = Number(env.REQUESTS ?? 2000)
const SEED = Number(env.SEED ?? Math.floor(Math.random() * 1e6))
const PARALLEL = Number(env.PARALLEL ?? 3)
const FAULTS_PER_ROUND = 20
/** Beside the flows themselves. */
const OTHER_PARTS = ['requests', 'random']
const names = env.FLOWS?.split(',') ?? [...FLOWS.map(({ name }) => name), ...OTHER_PARTS]

const points: PointResult[] = []
const rounds: RoundResult[] = []
let requests: RequestsResult | undefined
const failures: string[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
// The S3 server doesn't expect that a delete removes the folder into which it is about to write.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (!error.path?.endsWith('._S3rver_object')) throw error
})
const postgres = await startPostgres()
try {
  const queue = new PQueue({ concurrency: PARALLEL })
  for (const name of names.filter((one) => !OTHER_PARTS.includes(one))) {
    const only = env.POINT ? readPoint(name, env.POINT) : undefined
    const options = { points: POINTS, seed: SEED, only, report }
    void queue.add(() => strikeFlow(postgres, flowNamed(name), options).catch(failed(name)))
  }
  if (names.includes('requests')) {
    void queue
      .add(async () => {
        requests = await sendRequests(postgres, SEED, REQUESTS)
      })
      .catch(failed('requests'))
  }
  await queue.onIdle()
} finally {
  await postgres.stop()
}
// With a server of its own, which the faults restart.
if (names.includes('random')) await playRounds().catch(failed('random'))

if (points.length > 0) printPoints(points)
if (requests) printRequests(requests)
if (rounds.length > 0) printRounds(rounds)
for (const failure of failures) console.log(`\n${failure}`)
console.log(`\nSEED=${SEED}`)
if (env.RESULTS) {
  await writeFile(env.RESULTS, JSON.stringify({ seed: SEED, points, requests, rounds, failures }, null, 2))
}
const found = [...points, ...rounds, ...(requests ? [requests] : [])].some(({ findings }) => findings.length > 0)
// A shop that failed to start leaves servers that would keep this process.
process.exit(found || failures.length > 0 ? 1 : 0)

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
