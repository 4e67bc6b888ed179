import autocannon from 'autocannon'

export type BenchRequest = {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export type Load = { answers: number; seconds: number; times: number[]; errors: number }

/**
 * Repeats the requests for some seconds. Connections start at different places of the list, so that they don't send the
 * same request at the same time.
 * @param from shifts these places, as a fraction of the distance between two connections
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
      ...headers,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }))
  // autocannon's own histogram has whole milliseconds, too coarse for one connection.
  const times: number[] = []
  let client = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (connection) => {
      const first = Math.floor(((client++ + from) / connections) * sent.length)
      // autocannon would decode bodies as text, which takes longest for compressed ones.
      Reflect.set(Reflect.get(connection, 'pipelinedRequests'), 'addBody', () => {})
      connection.setRequests([...sent.slice(first), ...sent.slice(0, first)])
      connection.on('response', (_status, _bytes, ms) => times.push(ms))
    },
  })
  return {
    answers: result.requests.total,
    seconds: result.duration,
    times,
    errors: result.errors + result.non2xx - result['3xx'],
  }
}

/** Adds up several loads of one case. */
export function summary(loads: Load[]): { perSecond: number; p99Ms: number; errors: number } {
  const sum = (of: (one: Load) => number) => loads.reduce((total, one) => total + of(one), 0)
  const times = loads.flatMap((one) => one.times).sort((a, b) => a - b)
  return {
    perSecond: sum(({ answers }) => answers) / sum(({ seconds }) => seconds),
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    errors: sum(({ errors }) => errors),
  }
}
