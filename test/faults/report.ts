import { printTable } from '../../bench/table.ts'
import type { Finding } from './patience.ts'
import type { RequestsResult } from './requests.ts'
import type { RoundResult } from './rounds.ts'

/** Where a flow was struck: which message, by what, before or after it. */
export type Point = { flow: string; message: number; fault: 'kill' | 'cut'; side: 'before' | 'after' }

export type PointResult = {
  point: Point
  /** Messages of the flow without a fault. */
  messages: number
  /** Whose message it was; null if the flow ended before. */
  struck: string | null
  /** From the fault to the client's success. */
  recoveryMs: number | null
  findings: Finding[]
  /** The end of the process's log, after a finding. */
  log: string
}

export const pointText = ({ message, fault, side }: Point): string => `${message}:${fault}:${side}`

/** Reads `12:kill:before`. */
export function readPoint(flow: string, text: string): Point {
  const [message, fault, side] = text.split(':')
  if ((fault !== 'kill' && fault !== 'cut') || (side !== 'before' && side !== 'after') || !Number(message))
    throw new Error(`POINT is ${text}, not like 12:kill:before`)
  return { flow, message: Number(message), fault, side }
}

/** The shortest command that repeats a point, or the flow for what is found after all its points. */
function commandOf(point: Point): string {
  const flow = `FLOWS='${point.flow}'`
  return `${flow}${point.message > 0 ? ` POINT=${pointText(point)}` : ''} npm run test:faults`
}

const KINDS = ['lost', 'doubled', 'stuck', 'wrong'] as const

/** Prints a row for each flow, and one command for each finding. */
export function printPoints(results: PointResult[]): void {
  const rows = [...Map.groupBy(results, ({ point }) => point.flow)].map(([flow, ofFlow]) => {
    const struck = ofFlow.filter((result) => result.struck !== null)
    const kinds = KINDS.map((kind) => [kind, ofFlow.filter((result) => hasKind(result, kind)).length])
    return {
      flow,
      messages: Math.max(...ofFlow.map(({ messages }) => messages)),
      tried: ofFlow.filter(({ point }) => point.message > 0).length,
      struck: struck.length,
      ...Object.fromEntries(kinds),
      'slowest recovery, s': Math.max(0, ...struck.map(({ recoveryMs }) => recoveryMs ?? 0)) / 1000,
    }
  })
  printTable('Crash points', rows)
  for (const { point, struck, findings } of results) {
    for (const { kind, what } of findings) {
      console.log(`\n${kind} at ${struck ?? 'the end'}: ${what}\n  ${commandOf(point)}`)
    }
  }
}

const hasKind = ({ findings }: PointResult, kind: Finding['kind']) => findings.some((finding) => finding.kind === kind)

/** Prints a row for each kind of fault, and one command for each finding. */
export function printRounds(rounds: RoundResult[]): void {
  const faults = rounds.flatMap((round) => round.faults)
  const rows = [...Map.groupBy(faults, ({ name }) => name)].toSorted().map(([name, ofName]) => ({
    fault: name,
    struck: ofName.length,
    'slowest recovery, s': Math.max(...ofName.map(({ recoveryMs }) => recoveryMs)) / 1000,
  }))
  printTable('Random faults', rows)
  const sum = (of: (round: RoundResult) => number) => rounds.reduce((total, round) => total + of(round), 0)
  const totals = {
    rounds: rounds.length,
    faults: faults.length,
    requests: sum(({ requests }) => requests),
    unanswered: sum(({ unanswered }) => unanswered),
    'slowest request, s': Math.max(...rounds.map(({ slowestMs }) => slowestMs)) / 1000,
    orders: sum(({ orders }) => orders),
    ...Object.fromEntries(
      KINDS.map((kind) => [kind, sum(({ findings }) => findings.filter((finding) => finding.kind === kind).length)]),
    ),
  }
  printTable('Rounds of random faults', [totals])
  for (const { seed, findings } of rounds) {
    for (const { kind, what } of findings) {
      console.log(`\n${kind}: ${what}\n  FLOWS=random SEED=${seed} MINUTES=0 npm run test:faults`)
    }
  }
}

/** Prints how generated requests were answered, and each finding. */
export function printRequests({ seed, sent, sequences, slowestMs, byStatus, findings }: RequestsResult): void {
  const row = { requests: sent, sequences, wrong: findings.length, 'slowest, s': slowestMs / 1000 }
  printTable('Generated requests', [{ ...row, ...byStatus }])
  for (const { kind, what } of findings) console.log(`\n${kind}: ${what}`)
  if (findings.length > 0) console.log(`  FLOWS=requests SEED=${seed} npm run test:faults`)
}
