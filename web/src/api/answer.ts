import { ApiFailure } from './failure.ts'

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The body of an answer. @throws ApiFailure */
export async function got<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request.catch(refuseConnection)
  if (data === undefined) throw new ApiFailure(response.status, error)
  return data
}

/** For answers without a body. @throws ApiFailure */
export async function done(request: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await request.catch(refuseConnection)
  if (!response.ok) throw new ApiFailure(response.status, error)
}

export function refuseConnection(): never {
  throw new ApiFailure(0, undefined)
}
