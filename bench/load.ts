import autocannon from 'autocannon'

export type BenchRequest = {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export type Load = { perSecond: number; p99Ms: number; errors: number }

/**
 * Asks for all of this, over and over. Each connection begins elsewhere in the list, so that they don't ask for the
 * same thing at the same time.
 */
export async function load(
  url: string,
  requests: BenchRequest[],
  { connections, seconds }: { connections: number; seconds: number },
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
      const first = Math.floor((client++ / connections) * sent.length)
      connection.setRequests([...sent.slice(first), ...sent.slice(0, first)])
      connection.on('response', (_status, _bytes, ms) => times.push(ms))
    },
  })
  return {
    perSecond: result.requests.total / result.duration,
    p99Ms: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0,
    errors: result.errors + result.non2xx,
  }
}
