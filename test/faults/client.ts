export type Answer = { status: number; text: string; bytes: Buffer; body: unknown; headers: Headers }
export type Request = {
  token?: string | undefined
  body?: unknown
  /** Sent unchanged instead of `body`. */
  text?: string | undefined
  form?: FormData | undefined
  headers?: Record<string, string>
  timeoutMs?: number
}

const TIMEOUT_MS = 60_000

/** No answer, or a 5xx: the client doesn't know what became of its request, and repeats it. */
class Unanswered extends Error {}

/**
 * Sends a request.
 * @throws Unanswered
 */
export async function send(
  url: string,
  method: string,
  path: string,
  { token, body, text: raw, form, headers, timeoutMs = TIMEOUT_MS }: Request = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: form ?? raw ?? (body === undefined ? null : JSON.stringify(body)),
  }).catch((cause: unknown) => {
    throw new Unanswered(`${method} ${path}: no answer`, { cause })
  })
  const bytes = await response.arrayBuffer().then(Buffer.from, (cause: unknown) => {
    throw new Unanswered(`${method} ${path}: the answer broke off`, { cause })
  })
  const text = bytes.toString()
  if (response.status >= 500) throw new Unanswered(`${method} ${path}: ${response.status} ${text}`)
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return {
    status: response.status,
    text,
    bytes,
    body: isJson ? JSON.parse(text) : undefined,
    headers: response.headers,
  }
}

/** The body of an answer with an expected status. @throws Error with the answer */
export function accepted<Body>(answer: Answer, ...statuses: number[]): Body {
  if (!statuses.includes(answer.status)) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`)
  return answer.body as Body
}
