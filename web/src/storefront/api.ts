import createClient from 'openapi-fetch'
import type { components, paths } from '../../generated/api.d.ts'
import { ApiFailure } from '../api/failure.ts'
import { language } from '../ui/language.ts'

export type Schemas = components['schemas']

const TOKEN = 'shop_token'
const options = { baseUrl: window.location.origin, headers: { 'accept-language': language } }

/** Without a token: staff who are logged in see the shop as customers do. */
export const shop = createClient<paths>(options)

/** With the customer's token, for what belongs to an account. */
export const account = createClient<paths>({ ...options, fetch: sendToken })

async function sendToken(request: Request): Promise<Response> {
  const token = readToken()
  if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
  return fetch(request)
}

export function readToken(): string | null {
  return localStorage.getItem(TOKEN)
}

export function writeToken(token: string | null): void {
  if (token === null) localStorage.removeItem(TOKEN)
  else localStorage.setItem(TOKEN, token)
}

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The body of an answer. @throws ApiFailure */
export async function got<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request.catch(refuseConnection)
  if (data === undefined) throw new ApiFailure(response.status, error)
  return data
}

/** For answers without a body. @throws ApiFailure */
export async function done(request: Promise<Answer<unknown>>): Promise<null> {
  const { error, response } = await request.catch(refuseConnection)
  if (!response.ok) throw new ApiFailure(response.status, error)
  return null
}

function refuseConnection(): never {
  throw new ApiFailure(0, undefined)
}
