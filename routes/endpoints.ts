import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { StaticDecode, TSchema } from '@sinclair/typebox'
import type * as Fastify from 'fastify'
import { CACHEABLE } from '../plugins/http-caching.ts'

export type Access = NonNullable<Fastify.FastifyContextConfig['access']>
export type Deps = Fastify.FastifyInstance['deps']

/** Reads types from parts of a schema that may be absent. */
interface TypeProvider extends TypeBoxTypeProvider {
  validator: NonNullable<this['schema']> extends infer Part extends TSchema ? StaticDecode<Part> : unknown
}

type Handler<Schema extends object> = Fastify.RouteHandlerMethod<
  Fastify.RawServerDefault,
  Fastify.RawRequestDefaultExpression,
  Fastify.RawReplyDefaultExpression,
  Fastify.RouteGenericInterface,
  Fastify.ContextConfigDefault,
  Schema,
  TypeProvider
>

type Schema<Params, Query, Headers, Body, Response> = {
  operationId: string
  /** In the imperative. */
  summary: string
  /** What the caller can't guess. */
  description?: string
  /** Default: the tag of the plugin. */
  tags?: string[]
  consumes?: string[]
  params?: Params
  querystring?: Query
  headers?: Headers
  body?: Body
  /** By status. */
  response: Response
}

/** A route of Fastify's, with the parts of its schema beside the handler. */
type Endpoint<Route extends object> = Route &
  Pick<Fastify.RouteShorthandOptions, 'bodyLimit' | 'onRequest' | 'preHandler'> & {
    /** Default: the access of the plugin alone. */
    config?: Fastify.FastifyContextConfig
    handler: Handler<Route>
  }

export type Endpoints = ReturnType<typeof endpointsOf>

function endpointsOf(fastify: Fastify.FastifyInstance, access: Access) {
  const app = fastify.withTypeProvider<TypeProvider>()
  const add =
    (method: Fastify.HTTPMethods | Fastify.HTTPMethods[], byDefault: Fastify.FastifyContextConfig = { access }) =>
    <Params, Query, Headers, Body, const Response>(
      url: string,
      endpoint: Endpoint<Schema<Params, Query, Headers, Body, Response>>,
    ): void => {
      const { config, bodyLimit, onRequest, preHandler, handler, ...schema } = endpoint
      const options = { bodyLimit, onRequest, preHandler, config: { ...byDefault, ...config } }
      app.route({ ...options, method, url, schema, handler })
    }
  return {
    fastify,
    access,
    get: add('GET'),
    /** A public GET of JSON that clients may store: its handler sends it with `reply.cacheable`. */
    cached: add('GET', CACHEABLE),
    post: add('POST'),
    put: add('PUT'),
    patch: add('PATCH'),
    delete: add('DELETE'),
    /** A GET whose HEAD is described too. */
    download: add(['GET', 'HEAD']),
  }
}

/** Creates a plugin of endpoints with the same access, unless their `config` says otherwise. */
export function routes(
  access: Access,
  declare: (app: Endpoints, deps: Deps) => void | Promise<void>,
): Fastify.FastifyPluginAsync {
  return async (fastify) => declare(endpointsOf(fastify, access), fastify.deps)
}
