import { isDeepStrictEqual } from 'node:util'
import { violates } from '../../db/errors.ts'
import type { NewRecord, RecordId, RecordRow, RecordTable } from '../../db/queries/records.ts'
import * as queries from '../../db/queries/records.ts'
import type { Deps } from '../deps.ts'
import { conflict, type ErrorCode, forbidden, found, invalid, missingRecord } from '../errors.ts'
import { type Actor, atLeast, type Role } from '../rules/accounts/roles.ts'
import type { AuditEntity, Fields as AuditedFields } from '../rules/audit/changes.ts'
import { refuseStale, type Target } from '../rules/versions.ts'
import type { ChangeKind } from '../runtime/changes/kinds.ts'
import { type UnitOfWork, write } from '../runtime/write.ts'

type Constraints = {
  /** Foreign keys, each with the input field that holds the id. */
  references?: { [constraint: string]: string }
  /** Unique and exclusion constraints, each with the 409 that a violation becomes. */
  conflicts?: { [constraint: string]: readonly [code: ErrorCode, message: string] }
}

/** Describes records that staff create, update and delete one at a time. */
export type RecordKind<T extends RecordTable, Wire extends object, Input> = {
  table: T
  /** As error messages call it. */
  name: string
  entity: AuditEntity
  /** The role that the service checks, as the route does (specification, "Licence"). */
  writer?: Role
  /** Absent when no cache depends on these records. */
  change?: ChangeKind
  toWire(row: RecordRow<T>): Wire
  /** What the audit log shows; default: the JSON without version and times. */
  audited?(row: RecordRow<T>): AuditedFields
  /**
   * The columns that an input sets; an undefined one keeps its value, or gets its default.
   * @param current the record to update; null for a new one
   * @throws AppError 400
   */
  toValues(input: Input, current: RecordRow<T> | null): NewRecord<T>
  /** What a deletion sets instead of removing the record; null: it is removed. */
  defaultsOf?(row: RecordRow<T>): Partial<NewRecord<T>> | null
  /** What a write changes beside the record. A new record has no `before`, a deleted one no `after`. */
  afterWrite?(tx: UnitOfWork, before: Wire | null, after: Wire | null): Promise<void> | void
} & Constraints

/** Awaits a statement. @throws AppError 400 for an unknown id in a reference; 409 for a conflict */
export async function explainViolations<Result>(
  statement: Promise<Result>,
  { references = {}, conflicts = {} }: Constraints,
): Promise<Result> {
  try {
    return await statement
  } catch (error) {
    for (const [constraint, path] of Object.entries(references))
      if (violates(error, constraint)) throw invalid(missingRecord(path))
    for (const [constraint, [code, message]] of Object.entries(conflicts))
      if (violates(error, constraint)) throw conflict(code, message)
    throw error
  }
}

/** The use cases of records that need no more than their kind. */
export function recordUseCases<T extends RecordTable, Wire extends object, Input>(kind: RecordKind<T, Wire, Input>) {
  const { table, toWire } = kind

  async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target<RecordId<T>>): Promise<RecordRow<T>> {
    const row = found(await queries.lockRecord(tx.db, table, id), kind.name)
    if (row.version !== undefined) await refuseStale(ifMatch, row.version, () => toWire(row))
    return row
  }

  async function recordWrite(tx: UnitOfWork, actor: Actor, before: RecordRow<T> | null, after: RecordRow<T> | null) {
    const { change, entity, writer, audited = (row: RecordRow<T>) => auditedFields(toWire(row)) } = kind
    if (writer !== undefined && !atLeast(actor.role, writer)) throw forbidden()
    recordEdit(tx, { change, entity, audited }, actor, before, after)
    await kind.afterWrite?.(tx, before && toWire(before), after && toWire(after))
  }

  return {
    list: async ({ db }: Deps): Promise<Wire[]> => (await queries.listRecords(db, table)).map(toWire),
    /** @throws AppError 400, also for an unknown id in a reference; 409 as the kind defines */
    async create(deps: Deps, actor: Actor, input: Input): Promise<Wire> {
      const values = kind.toValues(input, null)
      return write(deps, async (tx) => {
        const row = await explainViolations(queries.insertRecord(tx.db, table, values), kind)
        await recordWrite(tx, actor, null, row)
        return toWire(row)
      })
    },
    /** @throws AppError 400, also for an unknown id in a reference; 404; 409 as the kind defines; 412 STALE */
    update: (deps: Deps, actor: Actor, target: Target<RecordId<T>>, input: Input): Promise<Wire> =>
      write(deps, async (tx) => {
        const current = await lockCurrent(tx, target)
        const values = kind.toValues(input, current)
        const row = await explainViolations(queries.updateRecord(tx.db, table, target.id, values), kind)
        await recordWrite(tx, actor, current, row)
        return toWire(row)
      }),
    delete: (deps: Deps, actor: Actor, target: Target<RecordId<T>>): Promise<void> =>
      write(deps, async (tx) => {
        const current = await lockCurrent(tx, target)
        const defaults = kind.defaultsOf?.(current) ?? null
        const after = defaults && (await queries.updateRecord(tx.db, table, target.id, defaults))
        if (after === null) await queries.deleteRecord(tx.db, table, target.id)
        await recordWrite(tx, actor, current, after)
      }),
  }
}

/** Without version and times, which differ after every write. */
function auditedFields(record: object): AuditedFields {
  const { version: _, createdAt: __, updatedAt: ___, ...fields }: AuditedFields = { ...record }
  return fields
}

/** Describes how edits of rows are recorded. */
type Recorded<Row> = { change?: ChangeKind; entity: AuditEntity; audited(row: Row): AuditedFields }

/** Records an edit, unless it changed nothing. A new record has no `before`, a deleted one no `after`. */
function recordEdit<Row extends { id: number } | { key: string }>(
  tx: UnitOfWork,
  { change, entity, audited }: Recorded<Row>,
  actor: Actor,
  before: Row | null,
  after: Row | null,
): void {
  const row = after ?? before
  if (row === null || isDeepStrictEqual(before, after)) return
  const entityId = 'key' in row ? row.key : row.id
  if (change !== undefined) tx.recordChange(change, [entityId])
  tx.audit({ actor, entity, entityId, before: before && audited(before), after: after && audited(after) })
}
