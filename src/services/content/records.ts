import { databaseFault, violates } from '../../../db/errors.ts'
import type { OrderedTable, RecordRow, RecordTable } from '../../../db/queries/records.ts'
import * as records from '../../../db/queries/records.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { invalid, notFound } from '../../errors.ts'
import type { AuditEntity } from '../../rules/audit/changes.ts'
import { refuseStale, type Target } from '../../rules/versions.ts'
import type { ChangeKind } from '../../runtime/changes/changes.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'

export type WriteDeps = Pick<Deps, 'db' | 'changes'>

/** What one kind of record is called, on the wire, in the audit log and among the changes. */
export type RecordKind<T extends RecordTable, Wire extends object> = {
  table: T
  name: string
  entity: AuditEntity
  /** Null: nothing is kept of it that a change could make stale. */
  change: ChangeKind | null
  toWire(row: RecordRow<T>): Wire
  /** What a record refers to: the constraint, and the field of the wire. */
  references: { [constraint: string]: string }
}

type Values<T extends RecordTable> = Parameters<typeof records.updateRecord<T>>[3]
type NewValues<T extends RecordTable> = Parameters<typeof records.insertRecord<T>>[2]

/** In the order in which they are shown. */
export async function listRecords<T extends OrderedTable, Wire extends object>(
  { db }: Pick<Deps, 'db'>,
  { table, toWire }: RecordKind<T, Wire>,
): Promise<Wire[]> {
  return (await records.listRecords(db, table)).map(toWire)
}

/** @throws AppError 404 */
export async function getRecord<T extends RecordTable, Wire extends object>(
  { db }: Pick<Deps, 'db'>,
  { table, name, toWire }: RecordKind<T, Wire>,
  id: number,
): Promise<Wire> {
  const row = await records.findRecord(db, table, id)
  if (row === undefined) throw notFound(name)
  return toWire(row)
}

/** @throws AppError 400 that names the field which refers to nothing */
export function createRecord<T extends RecordTable, Wire extends object>(
  deps: WriteDeps,
  kind: RecordKind<T, Wire>,
  actor: UserRow,
  values: NewValues<T>,
): Promise<Wire> {
  return write(deps, async (tx) => {
    const row = await referring(kind, () => records.insertRecord(tx.db, kind.table, values))
    const after = kind.toWire(row)
    say(tx, kind, actor, row.id, { before: null, after })
    return after
  })
}

/**
 * Undefined values stay as they are.
 * @throws AppError 400 that names the field which refers to nothing; 404; 412 STALE
 */
export function changeRecord<T extends RecordTable, Wire extends object>(
  deps: WriteDeps,
  kind: RecordKind<T, Wire>,
  actor: UserRow,
  { id, ifMatch }: Target,
  values: Values<T>,
): Promise<Wire> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, kind, { id, ifMatch })
    const row = await referring(kind, () => records.updateRecord(tx.db, kind.table, id, values))
    const after = kind.toWire(row)
    say(tx, kind, actor, id, { before, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteRecord<T extends RecordTable, Wire extends object>(
  deps: WriteDeps,
  kind: RecordKind<T, Wire>,
  actor: UserRow,
  { id, ifMatch }: Target,
): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, kind, { id, ifMatch })
    await records.deleteRecord(tx.db, kind.table, id)
    say(tx, kind, actor, id, { before, after: null })
  })
}

async function lockCurrent<T extends RecordTable, Wire extends object>(
  tx: UnitOfWork,
  { table, name, toWire }: RecordKind<T, Wire>,
  { id, ifMatch }: Target,
): Promise<Wire> {
  const row = await records.lockRecord(tx.db, table, id)
  if (row === undefined) throw notFound(name)
  refuseStale(ifMatch, row.version, () => toWire(row))
  return toWire(row)
}

function say<T extends RecordTable, Wire extends object>(
  tx: UnitOfWork,
  { change, entity }: RecordKind<T, Wire>,
  actor: UserRow,
  id: number,
  { before, after }: { before: Wire | null; after: Wire | null },
): void {
  if (change !== null) tx.recordChange(change, [id])
  tx.audit({ actor, entity, entityId: id, before: audited(before), after: audited(after) })
}

/** Version and times change with everything: they say nothing. */
function audited(record: object | null): { [field: string]: unknown } | null {
  if (record === null) return null
  const { version: _, createdAt: __, updatedAt: ___, ...fields }: { [field: string]: unknown } = { ...record }
  return fields
}

async function referring<T extends RecordTable, Wire extends object, Row>(
  { references }: RecordKind<T, Wire>,
  work: () => Promise<Row>,
): Promise<Row> {
  try {
    return await work()
  } catch (error) {
    const dangling = databaseFault(error) === 'DANGLING'
    const constraint = dangling ? Object.keys(references).find((name) => violates(error, name)) : undefined
    if (constraint === undefined) throw error
    throw invalid({ path: references[constraint] ?? '', message: 'refers to a record that is not there' })
  }
}
