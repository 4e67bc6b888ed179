import { hash, timingSafeEqual } from 'node:crypto'
import jwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { findApiKey, recordKeyUse } from '../db/queries/accounts/api-keys.ts'
import { findUserByEmail } from '../db/queries/accounts/users.ts'
import type { Caller, UserRow } from '../db/tables/users.ts'
import { type AppError, forbidden, invalid, notFound, totpSetupRequired, unauthorized } from '../src/errors.ts'
import { forwardedAddress } from '../src/rules/accounts/client-address.ts'
import { type Access, isApiKey, isStaff, lowerRole, mayCall, type Permission } from '../src/rules/accounts/roles.ts'
import { unstorable } from '../src/rules/text.ts'
import { sendError, UNDECODABLE } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. Required: the server refuses to start without it. */
    access?: Access
    /** The group of staff's endpoints that the route is one of. */
    permission?: Permission
    /** A configured token that also opens the route. */
    accessToken?: string
    /** The response of this public route depends on the caller. Other public routes ignore tokens. */
    optionalToken?: true
  }
  interface FastifyRequest {
    /** The owner of a valid token, or a valid API key; null without either. */
    caller: Caller | null
    /** A storefront's server calls for its customers, with a key of role USER: nobody, but not limited by network. */
    isStorefront: boolean
    /** The client's address, which a storefront's server forwards. */
    clientAddress: string
    /** When the caller logged in, in seconds since 1970; null without a token of a user. */
    loginTime: number | null
    /** The caller is staff and has to set up a second factor first. Public routes see a customer. */
    needsTotp: boolean
    /** The request has a token or key that isn't valid. Public routes ignore that, except for placing orders. */
    tokenRejected: boolean
  }
  interface FastifyInstance {
    /** Finds the caller with a token or an API key; null if it isn't valid. */
    identifyToken(token: string): Promise<Identity | null>
    /** Creates a token for the user (docs/accounts.md). @param loginTime in seconds since 1970; by default it is now */
    signToken(user: UserRow, loginTime?: number): string
    /** All routes, including those hidden from the API description. */
    declaredRoutes: readonly RouteOptions[]
  }
}

/** `expiresAt`: null if the token never expires. `needsTotp`: staff who have to set up a second factor first. */
export type Identity = { caller: Caller; expiresAt: Date | null; loginTime: number | null; needsTotp: boolean }

/** All that a token opens before the second factor is set up. */
const OPEN_WITHOUT_TOTP = '/api/v1/auth/'

/** `auth_time` is missing in tokens of 1.0.0. */
type Claims = { sub: string; uid: number; ver: number; iat: number; exp: number; auth_time?: number }

type AuthOptions = {
  secret: string
  expirationMs: number
  /** Whether staff have to set up a second factor before anything else. */
  staffNeedTotp(): Promise<boolean>
}

/** Identifies the caller of each request by its token (docs/accounts.md). */
export const authPlugin = fp<AuthOptions>(
  async (app, { secret, expirationMs, staffNeedTotp }) => {
    await app.register(jwt, {
      secret,
      // A number means seconds.
      sign: { algorithm: 'HS256', expiresIn: expirationMs / 1000 },
      verify: { algorithms: ['HS256'], requiredClaims: ['exp'] },
    })
    app.decorate('signToken', ({ email, id, role, token_version }: UserRow, loginTime?: number) =>
      app.jwt.sign({ sub: email, uid: id, role, ver: token_version, auth_time: loginTime ?? seconds(app.deps.now()) }),
    )
    app.decorate('identifyToken', (token: string) =>
      isApiKey(token) ? findKey(app, token) : findUser(app, token, staffNeedTotp),
    )
    app.decorateRequest('caller', null)
    app.decorateRequest('isStorefront', false)
    app.decorateRequest('clientAddress', '')
    app.decorateRequest('loginTime', null)
    app.decorateRequest('needsTotp', false)
    app.decorateRequest('tokenRejected', false)

    async function identify(request: FastifyRequest): Promise<void> {
      const header = request.headers.authorization
      if (header === undefined) return
      const token = bearerToken(header)
      const identity = token === undefined ? null : await app.identifyToken(token)
      request.tokenRejected = identity === null
      if (identity === null) return
      const { caller } = identity
      request.isStorefront = caller.id === null && caller.role === 'USER'
      if (request.isStorefront) {
        request.clientAddress = forwardedAddress(request.ip, [request.headers['x-forwarded-for']].flat().join())
        return
      }
      request.loginTime = identity.loginTime
      request.needsTotp = identity.needsTotp && !request.routeOptions.url?.startsWith(OPEN_WITHOUT_TOTP)
      request.caller = request.needsTotp ? asCustomer(caller) : caller
    }

    app.addHook('onRequest', (request, reply, done) => {
      const { access, optionalToken } = request.routeOptions.config
      const { authorization } = request.headers
      request.clientAddress = request.ip
      const isPublic = access === 'public'
      // A public read ignores tokens, or its handler sets the header (http-caching.ts).
      if (!isPublic || !['GET', 'HEAD'].includes(request.method)) reply.header('cache-control', 'no-store')
      // Most requests are public and have no token: spare them a promise. A key always counts, for the limits.
      const isKey = isApiKey(bearerToken(authorization ?? '') ?? '')
      if (authorization === undefined || (isPublic && !optionalToken && !isKey)) return done()
      identify(request).then(() => done(), done)
    })
  },
  { name: 'auth', dependencies: ['errors'] },
)

/** Checks the access of every route; denies by default (docs/accounts.md). Refused before a body is parsed. */
export const accessPlugin = fp(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => {
      const { caller, is404, isStorefront, needsTotp, routeOptions } = request
      const { access, accessToken } = routeOptions.config
      if (is404) done(refusalOfPath(request))
      else if (needsTotp && access !== 'public') done(totpSetupRequired())
      else if (access !== undefined && mayCall(access, caller?.role ?? null)) done()
      else if (accessToken !== undefined && presents(request, accessToken)) done()
      else done(caller === null && !isStorefront ? unauthorized() : forbidden())
    })
    // For routes that call it; requests without a route are refused above.
    app.setNotFoundHandler((request, reply) => sendError(notFound('path'), request, reply))

    const routes: RouteOptions[] = []
    app.decorate('declaredRoutes', routes)
    app.addHook('onRoute', (route) => {
      routes.push(route)
    })
    app.addHook('onReady', async () => {
      const undeclared = routes.filter((route) => route.config?.access === undefined)
      if (undeclared.length > 0) {
        const names = undeclared.map((route) => `${route.method} ${route.url}`)
        throw new Error(`Routes without access: ${names.join(', ')}`)
      }
    })
  },
  { name: 'access', dependencies: ['auth'] },
)

function refusalOfPath({ url, originalUrl, caller, isStorefront }: FastifyRequest): AppError {
  if (url === UNDECODABLE && originalUrl !== UNDECODABLE) {
    return invalid({ path: 'path', code: 'NOT_DECODABLE' })
  }
  return caller || isStorefront ? notFound('path') : unauthorized()
}

async function findKey({ deps }: FastifyInstance, key: string): Promise<Identity | null> {
  const row = await findApiKey(deps.db, key)
  if (row === undefined) return null
  if (row.is_due) {
    // A read-only database must not prevent reads.
    await recordKeyUse(deps.db, row.id).catch((err: unknown) =>
      deps.log.warn({ err }, 'use of an API key not recorded'),
    )
  }
  const role = lowerRole(row.role, row.creator_role)
  const caller: Caller = { id: null, name: row.name, email: null, role }
  return { caller, expiresAt: row.expires_at, loginTime: null, needsTotp: false }
}

async function findUser(
  app: FastifyInstance,
  token: string,
  staffNeedTotp: AuthOptions['staffNeedTotp'],
): Promise<Identity | null> {
  const claims = readClaims(app, token)
  if (claims === null) return null
  const user = await findUserByEmail(app.deps.db, claims.sub)
  // The email may belong to another user now.
  const isOwner = user && user.id === claims.uid && user.token_version === claims.ver
  if (!isOwner) return null
  return {
    caller: user,
    expiresAt: new Date(claims.exp * 1000),
    loginTime: claims.auth_time ?? claims.iat,
    needsTotp: isStaff(user) && !user.totp_enabled && (await staffNeedTotp()),
  }
}

function asCustomer(caller: Caller): Caller {
  return { ...caller, role: 'USER' }
}

function readClaims(app: FastifyInstance, token: string): Claims | null {
  try {
    const claims = app.jwt.verify<Claims>(token)
    return typeof claims.sub === 'string' && unstorable(claims.sub) === null ? claims : null
  } catch {
    return null
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

function bearerToken(header: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header)?.[1]
}

/** Compares in constant time; timingSafeEqual needs equal lengths, which hashes have. */
function presents({ headers }: FastifyRequest, token: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(bearerToken(headers.authorization ?? '') ?? ''), digest(token))
}

/** The caller of a route that is not public. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw unauthorized()
  return caller
}

/** The caller of a route that is about a person. @throws AppError 403 for an API key */
export function userOf(request: FastifyRequest): UserRow {
  const caller = callerOf(request)
  if (caller.id === null) throw forbidden('This needs the token of a user; an API key has no account')
  return caller
}

const MAX_SESSION_DAYS = 30

/** A new token for the caller of a session that began at most 30 days ago. @throws AppError 401; 403 for an API key */
export function renewToken(request: FastifyRequest): string {
  const user = userOf(request)
  const { server, loginTime } = request
  const oldest = seconds(server.deps.now()) - MAX_SESSION_DAYS * 86_400
  if (loginTime === null || loginTime < oldest) throw unauthorized()
  return server.signToken(user, loginTime)
}

/** Whether the caller may see unpublished records (docs/accounts.md). */
export function isByStaff({ caller }: FastifyRequest): boolean {
  return isStaff(caller)
}

/** For a public route where an invalid token must not count as none (docs/accounts.md). */
export async function refuseRejectedToken({ tokenRejected }: FastifyRequest): Promise<void> {
  if (tokenRejected) throw unauthorized()
}
