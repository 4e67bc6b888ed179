import { isObject, type Operation } from '../support/api-description.ts'
import type { GeneratedRequest } from '../support/generated-requests.ts'
import type { Answer } from './client.ts'
import type { Ask, Identity, RequestsResult } from './requests.ts'

type Described = { method: string; path: string; operation: Operation }
type Setting = {
  operations: Described[]
  generate(method: string, path: string, operation: Operation): GeneratedRequest
  ask: Ask
  admin: Identity
  result: RequestsResult
}

/** Sequences per noun, and attempts to generate an accepted body. */
const TIMES = 5
const ATTEMPTS = 30
/** They answer a creation with something else than the record. */
const OTHER = /auth|orders|contacts|images|import/

/** A noun whose records are created at a path, and read, changed and deleted below it by id. */
type Noun = { create: Described; one: string; read?: Described; update?: Described; remove?: Described }

/** Creates, reads, updates, deletes and reads again records of every noun. @returns the number of sequences */
export async function playSequences(setting: Setting): Promise<number> {
  let played = 0
  for (const noun of nounsOf(setting.operations)) {
    for (let time = 0; time < TIMES; time++) if (await playSequence(setting, noun)) played += 1
  }
  return played
}

function nounsOf(operations: Described[]): Noun[] {
  const find = (path: string, ...methods: string[]) =>
    operations.find((one) => one.path === path && methods.includes(one.method))
  return operations.flatMap((create) => {
    if (create.method !== 'POST' || OTHER.test(create.path) || !create.operation.responses['201']) return []
    const one = `${create.path}/{id}`
    const [read, update, remove] = [find(one, 'GET'), find(one, 'PUT', 'PATCH'), find(one, 'DELETE')]
    return [{ create, one, ...(read && { read }), ...(update && { update }), ...(remove && { remove }) }]
  })
}

async function playSequence({ generate, ask, admin, result }: Setting, noun: Noun): Promise<boolean> {
  const { create, read, update, remove } = noun

  function send(one: Described, path: string, ifMatch?: string, body?: unknown): Promise<Answer | null> {
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    if (body === undefined) return ask(one.method, path, one.operation, { headers }, admin)
    headers['content-type'] = 'application/json'
    return ask(one.method, path, one.operation, { headers, text: JSON.stringify(body) }, admin)
  }
  function expectStatus(step: string, answer: Answer | null, ...statuses: number[]): boolean {
    if (answer === null || statuses.includes(answer.status)) return answer !== null
    const what = `${step} of ${create.path}: ${answer.status} ${answer.text.slice(0, 300)}`
    result.findings.push({ kind: 'wrong', what })
    return false
  }

  let sent = generate(create.method, create.path, create.operation)
  let made = await ask('POST', create.path, create.operation, sent, admin)
  for (let attempt = 1; made?.status !== 201 && attempt < ATTEMPTS; attempt++) {
    sent = generate(create.method, create.path, create.operation)
    made = await ask('POST', create.path, create.operation, sent, admin)
  }
  const created = made?.body
  if (made?.status !== 201 || !isObject(created) || typeof created.id !== 'number') return false
  const path = noun.one.replace('{id}', String(created.id))

  if (read) {
    const answer = await send(read, path)
    if (expectStatus('reading', answer, 200) && isObject(answer?.body)) {
      for (const [name, value] of Object.entries(created)) {
        // A webhook's secret is shown once.
        if (name === 'secret' || JSON.stringify(answer.body[name]) === JSON.stringify(value)) continue
        const what = `${path}: ${name} was created as ${JSON.stringify(value)}, is ${JSON.stringify(answer.body[name])}`
        result.findings.push({ kind: 'lost', what })
      }
    }
  }
  if (update && typeof created.version === 'number') {
    const body: unknown = JSON.parse(sent.text ?? '{}')
    const current = `"${created.version}"`
    const updated = await send(update, path, current, body)
    if (updated?.status === 200 && isObject(updated.body) && updated.body.version !== created.version) {
      expectStatus('a stale update', await send(update, path, current, body), 412)
    }
    if (remove) expectStatus('a stale deletion', await send(remove, path, '"999999"'), 412)
  }
  if (!remove) return true
  if (!expectStatus('deleting', await send(remove, path, '*'), 204, 409)) return true
  if (read) {
    const gone = await send(read, path)
    if (gone?.status === 200) {
      // Refused because of a conflict.
      return true
    }
    expectStatus('reading the deleted record', gone, 404)
  }
  if (update) expectStatus('updating the deleted record', await send(update, path, '*', {}), 400, 404)
  expectStatus('deleting again', await send(remove, path), 400, 404)
  return true
}
