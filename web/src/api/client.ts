import createClient from 'openapi-fetch'
import type { components, paths } from '../../generated/api.d.ts'
import { language } from '../ui/language.ts'
import { refuseConnection } from './answer.ts'
import { ApiFailure } from './failure.ts'
import { askToLogIn, readToken } from './session.ts'

export { done, got } from './answer.ts'

export type Schemas = components['schemas']

/**
 * Sends the token of the session. A session that has ended asks for the password in a dialog over the page and sends the
 * request again, so that no input is lost.
 */
async function send(request: Request): Promise<Response> {
  const token = readToken()
  const again = request.clone()
  const response = await fetch(withHeaders(request, token))
  if (response.status !== 401 || token === null || request.url.endsWith('/auth/login')) return response
  await askToLogIn(token)
  return fetch(withHeaders(again, readToken()))
}

function withHeaders(request: Request, token: string | null): Request {
  request.headers.set('accept-language', language)
  if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
  return request
}

export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send })

/** The condition of a write: the record is as it was when the form was filled. */
export function ifMatch(version: number | undefined): { 'If-Match'?: string } {
  return version === undefined ? {} : { 'If-Match': `"${version}"` }
}

export type RecordParams = { path: { id: number }; header: { 'If-Match'?: string } }

/** The parameters of a write to a record as it was read. */
export function at({ id, version }: { id: number; version: number | undefined }): RecordParams {
  return { path: { id }, header: ifMatch(version) }
}

/** Sends an image as a form, and answers its id; `onProgress` gets a share from 0 to 1, which fetch can't tell. @throws ApiFailure */
export function upload(
  method: 'POST' | 'PUT',
  path: string,
  file: File,
  onProgress: (share: number) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, path)
    request.setRequestHeader('authorization', `Bearer ${readToken()}`)
    request.setRequestHeader('accept-language', language)
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onerror = () => reject(new ApiFailure(0, undefined))
    request.onload = () => {
      const body = JSON.parse(request.responseText || 'null')
      if (request.status < 300) resolve(Number(body.id))
      else reject(new ApiFailure(request.status, body))
    }
    const form = new FormData()
    form.set('file', file)
    request.send(form)
  })
}

/** A file that only a token opens, as an address within the page. @throws ApiFailure */
async function addressOf(path: string): Promise<string> {
  const response = await send(new Request(path)).catch(refuseConnection)
  if (!response.ok) throw new ApiFailure(response.status, await response.json().catch(() => undefined))
  return URL.createObjectURL(await response.blob())
}

/** Saves a file. @throws ApiFailure */
export async function download(path: string, name: string): Promise<void> {
  const link = document.createElement('a')
  link.href = await addressOf(path)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Shows a file in a tab of its own. @throws ApiFailure */
export async function openFile(path: string): Promise<void> {
  // At once: browsers open tabs only while a click is fresh.
  const tab = window.open('about:blank')
  try {
    tab?.location.replace(await addressOf(path))
  } catch (failure) {
    tab?.close()
    throw failure
  }
}
