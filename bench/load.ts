import autocannon from 'autocannon'

export type BenchRequest = {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export type Load = { answers: number; seconds: number; times: number[]; errors: number }

/**
 * Asks for all of this, over and over. Each connection begins elsewhere in the list, so that they don't ask for the
 * same thing at the same time.
 * @param from how far behind that, as a part of the way to where the next connection begins
 */
export async function load(
  url: string,
  requests: BenchRequest[],
  { connections, seconds, from = 0 }: { connections: number; seconds: number; from?: number },
): Promise<Load> {
  const sent = requests.map(({ method, path, body, headers }) => ({
    method,
    path,
    headers: {
      'accept-encoding': 'gzip',
      ...headers,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }))
  // autocannon counts whole milliseconds, of which one connection needs less than one.
  const times: number[] = []
  let client = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (connection) => {
      const first = Math.floor(((client++ + from) / connections) * sent.length)
      connection.setRequests([...sent.slice(first), ...sent.slice(0, first)])
      connection.on('response', (_status, _bytes, ms) => times.push(ms))
    },
  })
  return {
    answers: result.requests.total,
    seconds: result.duration,
    times,
    errors: result.errors + result.non2xx,
  }
}

/** What several loads of the same come to. */
export function summary(loads: Load[]): { perSecond: number; p99Ms: number; errors: number } {
  const sum = (of: (one: Load) => number) => loads.reduce((total, one) => total + of(one), 0)
  const times = loads.flatMap((one) => one.times).sort((a, b) => a - b)
  return {
    perSecond: sum(({ answers }) => answers) / sum(({ seconds }) => seconds),
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    errors: sum(({ errors }) => errors),
  }
}
