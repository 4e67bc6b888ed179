import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict, type ErrorCode, Failure } from '../src/schemas/errors.ts'

const LOCKING = 'With `If-Match`, a record that has changed since is a 412.'

type Options<Record, Input extends TSchema> = {
  access: 'EDITOR' | 'ADMIN'
  /** The noun in operation ids: `createBannerBlock`, `listBannerBlocks`. */
  id: string
  /** The noun in summaries: "Create a banner", "List banners". */
  name: string
  record: Record
  input: Input
  check?: (input: Partial<Static<Input>>) => void
  /** What the caller can't guess of an operation. */
  notes?: { list?: string; create?: string; update?: string; delete?: string }
  /** The codes with which create and update may answer 409. */
  conflicts?: { create?: ErrorCode; update?: ErrorCode }
}

/** Builds the options of the routes that list, get, create, update and delete versioned records. */
export function recordOperations<Record extends TSchema, Input extends TSchema>({
  access,
  check,
  id,
  name,
  record,
  input,
  notes = {},
  conflicts = {},
}: Options<Record, Input>) {
  const config = { access }
  const writing = check ? { ...config, check } : config
  const one = `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
  const refusal = (code: ErrorCode | undefined) => code && { 409: Conflict(code) }
  const target = { params: IdParams, headers: VersionHeaders }
  return {
    list: {
      config,
      schema: {
        operationId: `list${id}s`,
        summary: `List ${name}s`,
        description: notes.list ?? '',
        response: { 200: Type.Array(ref(record), { description: `The ${name}s` }) },
      },
    },
    get: {
      config,
      schema: {
        operationId: `get${id}`,
        summary: `Get ${one}`,
        description: 'Its `version` goes into the `If-Match` of a write.',
        params: IdParams,
        response: { 200: ref(record) },
      },
    },
    create: {
      config: writing,
      schema: {
        operationId: `create${id}`,
        summary: `Create ${one}`,
        description: notes.create ?? '',
        body: ref(input),
        response: { 201: ref(record), ...refusal(conflicts.create) },
      },
    },
    update: {
      config: writing,
      schema: {
        ...target,
        operationId: `update${id}`,
        summary: `Update ${one}`,
        description: [notes.update, LOCKING].join(' ').trim(),
        body: ref(input),
        response: { 200: ref(record), ...refusal(conflicts.update), 412: Failure },
      },
    },
    delete: {
      config,
      schema: {
        ...target,
        operationId: `delete${id}`,
        summary: `Delete ${one}`,
        description: [notes.delete, LOCKING].join(' ').trim(),
        response: { 204: NoContent, 412: Failure },
      },
    },
  }
}
