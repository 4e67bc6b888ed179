import type { TestShop } from './shop.ts'

export const METRICS_TOKEN = 'metrics-token-of-forty-characters-0123456'

type Sample = { name: string; labels: { [name: string]: string }; value: number }

export type MetricsPage = {
  /** The type of each metric. */
  types: Map<string, string>
  samples: Sample[]
  /** The value of the first sample with these labels, whatever its others are. */
  value(name: string, labels?: { [name: string]: string }): number | undefined
}

const LINE = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (-?[\d.e+-]+|Nan)$/

/** Parses the Prometheus text format. @throws Error for a line that isn't */
function parseMetrics(text: string): MetricsPage {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, name = '', type = ''] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (name !== '') types.set(name, type)
    if (line.startsWith('# ')) continue
    const [, metric, pairs = '', value] = LINE.exec(line) ?? []
    if (metric === undefined) throw new Error(`Not a sample: ${line}`)
    const labels = [...pairs.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text])
    samples.push({ name: metric, labels: Object.fromEntries(labels), value: Number(value) })
  }
  return {
    types,
    samples,
    value: (name, labels = {}) =>
      samples.find(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
      )?.value,
  }
}

/** Scrapes a shop that was started with METRICS_TOKEN. */
export async function scrape(shop: TestShop): Promise<MetricsPage> {
  const { status, text } = await shop.call('GET', '/metrics', { token: METRICS_TOKEN })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return parseMetrics(text)
}
