import type { Registry } from 'prom-client'
import type { Durations, Labels } from './metrics.ts'

type Sample = { labels?: Labels; value: number }

/** A metric, whose samples are read when it is shown. One without samples is left out. */
export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge'; samples: Sample[] }
  | { type: 'histogram'; durations: Durations }
)

/**
 * Creates what writes Node's default metrics, and the families given, in the Prometheus text format. The event loop and
 * the garbage collector are watched from the first call on, so that a shop nobody asks doesn't pay for it.
 */
export function createExposition(): (families: Family[]) => Promise<{ type: string; text: string }> {
  let loading: Promise<Registry> | undefined
  return async (families) => {
    loading ??= loadDefaults()
    const defaults = await loading
    const text = families.filter(isShown).map(textOf).join('')
    return { type: defaults.contentType, text: `${await defaults.metrics()}\n${text}` }
  }
}

async function loadDefaults(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
}

function isShown(family: Family): boolean {
  return family.type === 'histogram' ? family.durations.all().length > 0 : family.samples.length > 0
}

function textOf(family: Family): string {
  const { name, help, type } = family
  const lines = type === 'histogram' ? bucketLines(name, family.durations) : sampleLines(name, family.samples)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

function sampleLines(name: string, samples: Sample[]): string[] {
  return samples.map(({ labels, value }) => line(name, labels ?? {}, value))
}

function bucketLines(name: string, { bounds, all }: Durations): string[] {
  return all().flatMap(({ labels, buckets, sum, count }) => {
    let below = 0
    const cumulative = bounds.map((le, index) => {
      below += buckets[index] ?? 0
      return line(`${name}_bucket`, { ...labels, le: String(le) }, below)
    })
    return [
      ...cumulative,
      line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
      line(`${name}_sum`, labels, sum),
      line(`${name}_count`, labels, count),
    ]
  })
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeValue(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

function escapeValue(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
