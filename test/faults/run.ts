import { writeFile } from 'node:fs/promises'
import PQueue from 'p-queue'
import { flowNamed, strikeFlow } from './crash-points.ts'
import { FLOWS } from './flows/index.ts'
import { describe } from './patience.ts'
import { startPostgres } from './postgres.ts'
import { type PointResult, pointText, printPoints, readPoint } from './report.ts'

/**
 * Kills and cuts a real shop at its messages and checks that nothing is lost (docs/reliability.md).
 *
 * POINTS: crash points per flow (0: all). SEED: which ones. FLOWS: comma-separated names. POINT: one point, as a
 * failure prints it. PARALLEL: flows at a time. RESULTS: file for the results as JSON.
 */
const { env } = process
const POINTS = Number(env.POINTS ?? 40) || Number.POSITIVE_INFINITY
const SEED = Number(env.SEED ?? Math.floor(Math.random() * 1e6))
const PARALLEL = Number(env.PARALLEL ?? 3)
const flows = (env.FLOWS ?? FLOWS.map(({ name }) => name).join()).split(',').map(flowNamed)

const points: PointResult[] = []
const failures: string[] = []
const postgres = await startPostgres()
try {
  const queue = new PQueue({ concurrency: PARALLEL })
  for (const flow of flows) {
    const only = env.POINT ? readPoint(flow.name, env.POINT) : undefined
    void queue.add(() =>
      strikeFlow(postgres, flow, { points: POINTS, seed: SEED, only, report }).catch((error: unknown) => {
        failures.push(`${flow.name}: ${describe(error)}`)
        console.error(error)
      }),
    )
  }
  await queue.onIdle()
} finally {
  await postgres.stop()
}
console.log(`\nSEED=${SEED}`)
printPoints(points)
for (const failure of failures) console.log(`\n${failure}`)
if (env.RESULTS) await writeFile(env.RESULTS, JSON.stringify({ seed: SEED, points, failures }, null, 2))
process.exitCode = failures.length + points.filter(({ findings }) => findings.length > 0).length > 0 ? 1 : 0

function report(result: PointResult): void {
  points.push(result)
  const { point, struck, recoveryMs, findings } = result
  const outcome = findings.map(({ kind, what }) => `${kind}: ${what}`).join('; ') || 'ok'
  console.error(`${point.flow} ${pointText(point)} ${struck ?? 'not reached'} ${recoveryMs ?? ''} ${outcome}`)
}
