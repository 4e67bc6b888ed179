import { sql } from 'kysely'
import { type Access, mayCall, ROLES, type Role } from '../../src/rules/accounts/roles.ts'
import { type Description, type Operation, readDescription } from '../support/api-description.ts'
import { type GeneratedRequest, requestGenerator, seeded } from '../support/generated-requests.ts'
import { type Answer, accepted } from './client.ts'
import { describe, type Finding } from './patience.ts'
import type { Postgres } from './postgres.ts'
import { playSequences } from './sequences.ts'
import { startWorld, type World } from './world.ts'

export type Identity = { name: string; token?: string; role?: Role }
export type RequestsResult = {
  seed: number
  sent: number
  sequences: number
  slowestMs: number
  byStatus: { [status: string]: number }
  findings: Finding[]
}
/** Sends a request and checks the answer against the description. */
export type Ask = (
  method: string,
  path: string,
  operation: Operation,
  request: Pick<GeneratedRequest, 'headers' | 'text' | 'form'>,
  identity: Identity,
) => Promise<Answer | null>

const MAX_LATENCY_MS = 10_000
const AT_A_TIME = 4
/** Ids below belong to what the requests may change; the identities' accounts come after. */
const KNOWN_IDS = 40
const PASSWORD = 'a password of the campaign'
/** They would end an identity's login. */
const SKIPPED = /^(changePassword|logOutEverywhere|updateProfile)$/

/**
 * Sends requests that the API description generates, valid ones and others, as a caller of each role, without and with a
 * forged token; then creates, reads,
 * updates and deletes records in sequence. No answer is a 5xx, slow, other than described, or given to the wrong caller.
 */
export async function sendRequests(postgres: Postgres, seed: number, count: number): Promise<RequestsResult> {
  const world = await startWorld(postgres)
  const result: RequestsResult = { seed, sent: 0, sequences: 0, slowestMs: 0, byStatus: {}, findings: [] }
  try {
    const identities = await createIdentities(world)
    const { text } = await world.call('GET', '/v3/api-docs', { token: undefined })
    const description = readDescription(text)
    const ask = askAndCheck(world, description, result)
    const random = seeded(seed)
    const { operations, document } = description
    const generate = requestGenerator(document.components.schemas, await knownValues(world), random)
    const some = <T>(list: T[]) => list[Math.floor(random() * list.length)]

    async function sendSome(share: number): Promise<void> {
      for (let sent = 0; sent < share; sent++) {
        const [chosen, identity] = [some(operations), some(identities)]
        if (chosen === undefined || identity === undefined || SKIPPED.test(chosen.operation.operationId)) continue
        const request = generate(chosen.method, chosen.path, chosen.operation)
        await ask(chosen.method, request.path, chosen.operation, request, identity)
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, () => sendSome(count / AT_A_TIME)))
    const [admin] = identities.slice(-1)
    if (admin) result.sequences = await playSequences({ operations, generate, ask, admin, result })
    if (world.instance.died()) result.findings.push({ kind: 'wrong', what: 'the process ended by itself' })
  } finally {
    await world.close()
  }
  return result
}

async function createIdentities({ db, call }: World): Promise<Identity[]> {
  await sql`select setval(pg_get_serial_sequence('users', 'id'), 1000)`.execute(db)
  const identities: Identity[] = [{ name: 'anonymous' }, { name: 'forged', token: 'forged.token.here' }]
  for (const role of ROLES) {
    const email = `${role.toLowerCase()}@campaign.test`
    const body = { name: role, email, password: PASSWORD, role }
    accepted(await call('POST', '/api/v1/admin/users', { body }), 201)
    const login = await call('POST', '/api/v1/auth/login', {
      token: undefined,
      body: { email, password: PASSWORD },
    })
    identities.push({ name: role, role, token: accepted<{ token: string }>(login, 200).token })
  }
  return identities
}

async function knownValues({ db }: World) {
  const ids = Array.from({ length: KNOWN_IDS }, (_, index) => String(index + 1))
  const slugs = await db.selectFrom('slug_history').select('slug').limit(KNOWN_IDS).execute()
  const named = { id: ids, itemId: ids, productId: ids, imageId: ids, feedCategoryId: ids }
  return { ...named, slug: slugs.map(({ slug }) => slug), key: ['site_name', 'shop_currency'] }
}

function askAndCheck(world: World, description: Description, result: RequestsResult): Ask {
  return async (method, path, operation, { headers, text, form }, identity) => {
    const began = performance.now()
    const label = `${method} ${path} ${text ?? ''}`.slice(0, 600)
    const wrong = (what: string) => {
      result.findings.push({ kind: 'wrong', what: `${what}\n  as ${identity.name}: ${label}` })
    }
    result.sent += 1
    try {
      const request = { headers, text, form, token: identity.token }
      const answer = await world.call(method, path, request)
      result.byStatus[answer.status] = (result.byStatus[answer.status] ?? 0) + 1
      const complaint = description.complaint(method, path, answer)
      if (complaint !== null) wrong(complaint)
      if (!isAllowed(operation, identity) && ![400, 401, 403, 404, 413, 414, 429].includes(answer.status))
        wrong(`${answer.status} in spite of "${accessOf(operation)}"`)
      return answer
    } catch (error) {
      wrong(describe(error))
      return null
    } finally {
      const latencyMs = Math.round(performance.now() - began)
      result.slowestMs = Math.max(result.slowestMs, latencyMs)
      if (latencyMs > MAX_LATENCY_MS) wrong(`${latencyMs} ms`)
    }
  }
}

/** The last sentence of each description says who may call. */
function accessOf({ description }: Operation): Access {
  const [, role] = /Requires (\w+)(?: or above)?\.$/.exec(description) ?? []
  if (description.endsWith('Requires a logged-in user.')) return 'user'
  return (role as Role | undefined) ?? 'public'
}

function isAllowed(operation: Operation, { role }: Identity): boolean {
  const access = accessOf(operation)
  return access === 'public' || (role !== undefined && mayCall(access, role))
}
