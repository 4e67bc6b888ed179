import { type HttpCase, rawBytes } from './http-cases.ts'

/** What of the limit a case must reach, by what it is held against. */
export const AIMS = { memory: 0.8, file: 0.8, 'flat table': 1 / 3, 'bare transaction': 0.25 } as const

/** Fills the limit server with what the case needs. @returns the path to ask it for */
export async function prepareLimit(
  { name, requests, limit }: HttpCase,
  shopUrl: string,
  limitUrl: string,
): Promise<string> {
  const place = encodeURIComponent(name)
  if (limit.kind === 'flat table') return putJson(limitUrl, `/flat/${place}`, limit.flat)
  if (limit.kind === 'bare transaction') return putJson(limitUrl, `/sql/${place}`, limit.statements)
  const bytes = await rawBytes(shopUrl + (requests[0]?.path ?? ''), requests[0]?.headers)
  const path = `/${limit.kind}/${place}`
  await put(limitUrl + path, 'application/octet-stream', bytes)
  return path
}

async function putJson(limitUrl: string, path: string, body: object): Promise<string> {
  await put(limitUrl + path, 'application/json', JSON.stringify(body))
  return path
}

async function put(url: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const response = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
}
