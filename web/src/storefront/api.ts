import createClient from 'openapi-fetch'
import type { components, paths } from '../../generated/api.d.ts'
import { language } from '../ui/language.ts'

export { done, got } from '../api/answer.ts'

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
