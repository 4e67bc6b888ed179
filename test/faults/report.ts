import { printTable } from '../../bench/table.ts'
import type { Finding } from './patience.ts'

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

/** The shortest command that repeats a point. */
const commandOf = (point: Point): string =>
  `FLOWS=${point.flow} POINT=${pointText(point)} npm run test:faults`

const KINDS = ['lost', 'doubled', 'stuck', 'wrong'] as const

/** Prints a row for each flow, and one command for each finding. */
export function printPoints(results: PointResult[]): void {
  const rows = [...Map.groupBy(results, ({ point }) => point.flow)].map(([flow, ofFlow]) => {
    const struck = ofFlow.filter((result) => result.struck !== null)
    const kinds = KINDS.map((kind) => [kind, ofFlow.filter((result) => hasKind(result, kind)).length])
    return {
      flow,
      messages: Math.max(...ofFlow.map(({ messages }) => messages)),
      tried: ofFlow.length,
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

const hasKind = ({ findings }: PointResult, kind: Finding['kind']) =>
  findings.some((finding) => finding.kind === kind)
