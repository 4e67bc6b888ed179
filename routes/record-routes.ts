import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { callerOf } from '../plugins/auth.ts'
import { IdParams, List, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import { SlugChoice } from '../src/schemas/product-editing.ts'
import type { Access, Deps, Endpoints } from './endpoints.ts'

type EncodedBody = Parameters<FastifyReply['cacheable']>[0]
type Caller = ReturnType<typeof callerOf>
type Target<Id = number> = { id: Id; ifMatch: string | undefined }

type Codes = Parameters<typeof Conflict>

type Noun = {
  /** In operation ids: `createBannerBlock`, `listBannerBlocks`; default: the name of the record's schema. */
  id?: string
  /** In summaries: "Create a banner", "List banners". */
  name: string
}

/** The schemas of a kind of record. */
type Schemas = {
  record: TSchema
  input: TSchema
  /** What an update takes; default: `input`. */
  change?: TSchema
  /** What creating returns; default: `record`. */
  created?: TSchema
  /** The one parameter that names a record in the path; default: its id. */
  params?: TObject
}

/** The type of an optional schema, or else that of the schema that it replaces. */
type StaticOf<Schema, Default extends TSchema> = Static<Schema extends TSchema ? Schema : Default>
type Shown<S extends Schemas> = Static<S['record']>
type Input<S extends Schemas> = Static<S['input']>
type Change<S extends Schemas> = StaticOf<S['change'], S['input']>
type Created<S extends Schemas> = StaticOf<S['created'], S['record']>
type Id<S extends Schemas> = S['params'] extends TObject<infer Members> ? Static<Members[keyof Members]> : number

type Options<S extends Schemas> = Noun & {
  schemas: S
  /** Below the plugin's prefix. */
  path?: string
  /** Who may write; default: whoever may read. */
  writeAccess?: Access
  /** Checks what the schema can't, of the fields that are given. @throws AppError 400 */
  check?(input: Partial<Input<S> | Change<S>>, params: object): void
  /** The operation id of an update; default: of the noun. */
  updateId?: string
  /** What the caller can't guess of an operation. */
  notes?: { list?: string; create?: string; update?: string; delete?: string }
  /** The codes with which the operations may answer 409. */
  conflicts?: { create?: Codes; update?: Codes; delete?: Codes }
  /** What the public gets at `/active`. */
  listActive?(deps: Deps): Promise<EncodedBody>
  list?(deps: Deps): Promise<Shown<S>[]>
  get?(deps: Deps, id: Id<S>): Promise<Shown<S>>
  create(deps: Deps, caller: Caller, input: Input<S>): Promise<Created<S>>
  update?(deps: Deps, caller: Caller, target: Target<Id<S>>, input: Change<S>): Promise<Shown<S>>
  delete(deps: Deps, caller: Caller, target: Target<Id<S>>): Promise<void>
}

/** Adds the routes that create and delete records, and those of the other operations that the options define. */
export function recordRoutes<S extends Schemas>(app: Endpoints, options: Options<S>): void {
  const { deps } = app.fastify
  const { record, input, change = input, created = record, params = IdParams } = options.schemas
  const { id = record.$id, name, path = '', notes = {}, conflicts = {}, writeAccess = app.access } = options
  const { listActive, list, get, create, update, delete: remove, check } = options
  const config = { access: writeAccess, check }
  const one = `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`
  const refusal = (codes?: Codes) => codes && { 409: Conflict(...codes) }
  const [key = 'id'] = Object.keys(params.properties)
  const idOf = (request: { params: object }): Id<S> => Reflect.get(request.params, key)
  const targetIn = (request: { params: object; headers: { 'if-match'?: string } }) => ({
    id: idOf(request),
    ifMatch: request.headers['if-match'],
  })
  const isVersioned = 'version' in Object(record.properties)
  const target = isVersioned ? { ...VERSIONED, params } : { params }

  if (listActive)
    app.cached(`${path}/active`, {
      operationId: `listActive${id}s`,
      summary: `List the ${name}s to show now`,
      description: 'By display order.',
      response: { 200: List(record, `The ${name}s`) },
      handler: async (_request, reply) => reply.cacheable(await listActive(deps)),
    })
  if (list)
    app.get(path || '/', {
      operationId: `list${id}s`,
      summary: `List ${name}s`,
      description: notes.list ?? '',
      response: { 200: List(record, `The ${name}s`) },
      handler: async () => list(deps),
    })
  if (get)
    app.get(`${path}/:${key}`, {
      operationId: `get${id}`,
      summary: `Get ${one}`,
      params,
      response: { 200: ref<TSchema>(record) },
      handler: async (request) => get(deps, idOf(request)),
    })
  app.post(path || '/', {
    config,
    operationId: `create${id}`,
    summary: `Create ${one}`,
    description: notes.create ?? '',
    body: ref(input),
    response: { 201: ref(created), ...refusal(conflicts.create) },
    handler: async (request) => create(deps, callerOf(request), request.body),
  })
  if (update)
    app.put(`${path}/:${key}`, {
      config,
      operationId: options.updateId ?? `update${id}`,
      summary: `Update ${one}`,
      description: notes.update ?? '',
      ...target,
      body: ref(change),
      response: { 200: ref(record), ...refusal(conflicts.update) },
      handler: async (request) => update(deps, callerOf(request), targetIn(request), request.body),
    })
  app.delete(`${path}/:${key}`, {
    config,
    operationId: `delete${id}`,
    summary: `Delete ${one}`,
    description: notes.delete ?? '',
    ...target,
    response: { 204: NoContent, ...refusal(conflicts.delete) },
    handler: async (request) => remove(deps, callerOf(request), targetIn(request)),
  })
}

type SlugOptions<Record extends TSchema> = Noun & {
  record: Record
  /** Sets the given slug, or else one generated from the name. */
  setSlug(deps: Deps, caller: Caller, target: Target, slug?: string): Promise<Static<Record>>
}

/** Adds the routes that set the slug of a record. */
export function slugRoutes<Record extends TSchema>(
  app: Endpoints,
  { record, id = record.$id, name, setSlug }: SlugOptions<Record>,
): void {
  const { deps } = app.fastify
  const description = 'The former slug redirects to it.'
  app.put('/:id/slug', {
    operationId: `set${id}Slug`,
    summary: `Set the slug of a ${name}`,
    description,
    ...VERSIONED,
    body: ref(SlugChoice),
    response: { 200: ref<TSchema>(record), 409: Conflict('SLUG_TAKEN') },
    handler: async (request) => setSlug(deps, callerOf(request), targetOf(request), request.body.slug),
  })
  app.post('/:id/slug/regenerate', {
    operationId: `regenerate${id}Slug`,
    summary: `Regenerate the slug of a ${name} from its name`,
    description,
    ...VERSIONED,
    response: { 200: ref<TSchema>(record) },
    handler: async (request) => setSlug(deps, callerOf(request), targetOf(request)),
  })
}

/** The input of a route that writes a versioned record. */
export const VERSIONED = { params: IdParams, headers: VersionHeaders }

/** Names the record to write, and its version if the caller sent one (contract section 1, "Lost updates"). */
export function targetOf<Params>({ params, headers }: { params: Params; headers: { 'if-match'?: string } }) {
  return { ...params, ifMatch: headers['if-match'] }
}
