import { type HttpCase, rawBytes } from './http-cases.ts'

/** Uploads to the limit server what the case needs. @returns the path that answers it */
export async function prepareLimit(
  { name, requests, limit }: HttpCase,
  shopUrl: string,
  limitUrl: string,
): Promise<string> {
  const key = encodeURIComponent(name)
  if (limit.kind === 'flat table') return putJson(limitUrl, `/flat/${key}`, limit.flat)
  if (limit.kind === 'bare transaction') return putJson(limitUrl, `/sql/${key}`, limit.statements)
  if (limit.kind === 'plain answer') return requests[0]?.path ?? ''
  const bytes = await rawBytes(shopUrl + (requests[0]?.path ?? ''), requests[0]?.headers)
  const path = `/${limit.kind}/${key}`
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
