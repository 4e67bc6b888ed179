import { isObject } from './socket.ts'

type Detail = { path: string; message: string }

/** A request that failed, as the API says it (docs/http.md). `status` 0: no connection. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string | undefined
  readonly requestId: string | undefined
  readonly details: readonly Detail[]
  /** Of a 412: the record as it is now. */
  readonly current: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, body: unknown) {
    const members = isObject(body) ? body : {}
    super(typeof members.message === 'string' ? members.message : '')
    this.status = status
    this.code = typeof members.code === 'string' ? members.code : undefined
    this.requestId = typeof members.requestId === 'string' ? members.requestId : undefined
    this.details = Array.isArray(members.details) ? members.details.filter(isDetail) : []
    this.current = isObject(members.current) ? members.current : undefined
  }
}

function isDetail(value: unknown): value is Detail {
  return isObject(value) && typeof value.path === 'string' && typeof value.message === 'string'
}

/** Messages by the name of the field that they stand beside; those of a list's members also by the list's name. */
export function fieldFaults(error: unknown): Record<string, string> {
  if (!(error instanceof ApiFailure)) return {}
  const ofLists = error.details.map(({ path, message }) => [path.split('.')[0], message])
  return Object.fromEntries([...ofLists, ...error.details.map(({ path, message }) => [path, message])])
}
