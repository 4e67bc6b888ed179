import type { Db } from '../../../db/database.ts'
import { violates } from '../../../db/errors.ts'
import * as queries from '../../../db/queries/settings/settings.ts'
import type { Deps } from '../../deps.ts'
import { conflict, faultsOf, found, missingRecord, refuse } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import * as rules from '../../rules/settings/keys.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import * as wire from '../../schemas/settings.ts'
import { answer } from '../catalogue/answers.ts'

/** Returns every documented setting, cached until it changes on any instance. */
export async function settingValues(deps: Deps): Promise<rules.SettingValues> {
  return (await snapshot(deps)).values
}

/** Reads them past the cache. A transaction must not wait for the cache, whose load may be waiting for a connection. */
export async function freshSettings(db: Db): Promise<rules.SettingValues> {
  return rules.withDefaults(await queries.listSettings(db))
}

/** Reads a documented setting from the database, for jobs, whose flags must not be stale. */
export async function freshSetting({ db }: Pick<Deps, 'db'>, key: rules.SettingKey): Promise<string> {
  const row = await queries.findSetting(db, key)
  return rules.withDefaults(row ? [row] : [])[key]
}

/** Lists public settings (docs/content.md). */
export function listPublicSettings(deps: Deps): Promise<EncodedBody> {
  return answer(deps, 'settings', wire.PublicSettings, async () => {
    return { ...Object.fromEntries((await snapshot(deps)).public), siteUrl: deps.config.siteUrl }
  })
}

/** Returns the requested settings that are public, and leaves out the others. */
export async function pickPublicSettings(deps: Deps, batch: wire.SettingsBatch): Promise<wire.PublicSettings> {
  const settings = (await snapshot(deps)).public
  const keys = new Set(Array.isArray(batch) ? batch : batch.keys)
  return Object.fromEntries([...settings].filter(([key]) => keys.has(key)))
}

/** @throws AppError 404, also for a private setting */
export function getPublicSetting(deps: Deps, key: string): Promise<EncodedBody> {
  return answer(deps, `setting ${key}`, wire.PublicSetting, async () => {
    const value = found((await snapshot(deps)).public.get(key), 'setting')
    return { key, value }
  })
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkSettingFields(fields: Partial<wire.NewSetting>, params: { key?: string }): void {
  const { key = '', value } = { ...fields, ...params }
  if (value !== undefined) rules.readSetting(key, value)
}

export async function listSettings({ db }: Deps): Promise<wire.Setting[]> {
  return (await queries.listSettings(db)).map(toSetting)
}

/** @throws AppError 404 */
export async function getSetting({ db }: Deps, key: string): Promise<wire.Setting> {
  return toSetting(found(await queries.findSetting(db, key), 'setting'))
}

/** @throws AppError 400; 409 KEY_TAKEN */
export function createSetting(deps: Deps, actor: Actor, input: wire.NewSetting): Promise<wire.Setting> {
  const values = toValues(input.key, input)
  return write(deps, async (tx) => {
    const row = await queries.insertSetting(tx.db, { key: input.key, ...values }).catch(explain)
    tx.recordChange('setting', [row.key])
    tx.audit({ actor, entity: 'CONFIG', entityId: row.key, before: null, after: toSettingChange(row) })
    return toSetting(row)
  })
}

/** @throws AppError 400; 404; 412 STALE */
export function updateSetting(
  deps: Deps,
  actor: Actor,
  target: Target<string>,
  input: wire.SettingChange,
): Promise<wire.Setting> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    return toSetting(await change(tx, actor, before, toValues(target.id, input)))
  })
}

/** Checks the values of several settings. @throws AppError 400 that names each wrong one by its key */
export function checkSettingValues(values: wire.SettingValues): void {
  refuse(Object.entries(values).flatMap(([key, value]) => faultsOf(() => rules.readSetting(key, value, key))))
}

/** Writes several settings, all or none. @returns their records @throws AppError 400, also for an unknown key */
export function updateSettings(deps: Deps, actor: Actor, input: wire.SettingValues): Promise<wire.Setting[]> {
  checkSettingValues(input)
  const wanted = Object.keys(input)
  return write(deps, async (tx) => {
    const rows = await queries.lockSettings(tx.db, wanted)
    refuse(wanted.filter((key) => !rows.some((row) => row.key === key)).map(missingRecord))
    const changed: wire.Setting[] = []
    for (const row of rows) {
      const value = rules.readSetting(row.key, input[row.key] ?? row.value, row.key)
      changed.push(toSetting(await change(tx, actor, row, { value })))
    }
    return changed
  })
}

/** A documented setting always has a row; deleting it returns it to its default. @throws AppError 404; 412 STALE */
export function deleteSetting(deps: Deps, actor: Actor, target: Target<string>): Promise<void> {
  const key = target.id
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const { default: value } = rules.describeSetting(key)
    if (value !== null) {
      await change(tx, actor, before, { value })
      return
    }
    await queries.deleteSetting(tx.db, key)
    tx.recordChange('setting', [key])
    tx.audit({ actor, entity: 'CONFIG', entityId: key, before: toSettingChange(before), after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { id: key, ifMatch }: Target<string>): Promise<queries.SettingRow> {
  const row = found(await queries.lockSetting(tx.db, key), 'setting')
  await refuseStale(ifMatch, row.version, () => toSetting(row))
  return row
}

async function change(
  tx: UnitOfWork,
  actor: Actor,
  row: queries.SettingRow,
  values: Partial<ReturnType<typeof toValues>>,
): Promise<queries.SettingRow> {
  if (!hasChanges(row, values)) return row
  const changed = await queries.updateSetting(tx.db, row.key, values)
  const [before, after] = [toSettingChange(row), toSettingChange(changed)]
  tx.recordChange('setting', [row.key])
  tx.audit({ actor, entity: 'CONFIG', entityId: row.key, before, after })
  return changed
}

function explain(error: unknown): never {
  throw violates(error, 'app_config_pkey') ? conflict('KEY_TAKEN', 'There is already a setting with this key') : error
}

function snapshot({ db, cached }: Deps): Promise<rules.SettingsSnapshot> {
  return cached.settings.get('all', async () => {
    const rows = await queries.listSettings(db)
    const visible = rows.filter(({ is_public }) => is_public)
    return { values: rules.withDefaults(rows), public: new Map(visible.map(({ key, value }) => [key, value])) }
  })
}

/** The columns that an input sets; an undefined one keeps its value, or gets its default. @throws AppError 400 */
function toValues(key: string, { value, description, isPublic }: wire.SettingChange) {
  return { value: rules.readSetting(key, value), description, is_public: isPublic }
}

/** The fields that staff edit, which the audit log shows. */
function toSettingChange(row: queries.SettingRow): wire.SettingChange {
  return { value: row.value, description: row.description, isPublic: row.is_public }
}

function toSetting(row: queries.SettingRow): wire.Setting {
  return {
    key: row.key,
    value: row.value,
    description: row.description,
    isPublic: row.is_public,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    ...rules.describeSetting(row.key),
  }
}
