import * as rows from '../../../db/queries/settings/settings.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import {
  checkSetting,
  describeSetting,
  publicSettings,
  type SettingKey,
  type SettingsSnapshot,
  type SettingValues,
  withDefaults,
} from '../../rules/settings/keys.ts'
import { refuseStale } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import {
  type NewSetting,
  type PublicSetting,
  type PublicSettings,
  Setting,
  type SettingChange,
  type SettingsBatch,
} from '../../schemas/settings.ts'
import { answer } from '../catalogue/answers.ts'
import { toWire } from '../wire.ts'

type ReadDeps = Pick<Deps, 'db' | 'cached'>
type WriteDeps = Pick<Deps, 'db' | 'changes'>

/** Returns every documented setting, cached until it changes on any instance. */
export async function settingValues(deps: ReadDeps): Promise<SettingValues> {
  return (await snapshot(deps)).values
}

/** Reads a documented setting from the database, for jobs, whose flags must not be stale. */
export async function freshSetting({ db }: Pick<Deps, 'db'>, key: SettingKey): Promise<string> {
  const row = await rows.findSetting(db, key)
  return withDefaults(row ? [row] : [])[key]
}

/** Lists public settings (contract section 7, "Config"). */
export function listPublicSettings(deps: ReadDeps): Promise<EncodedBody> {
  return answer(deps, 'settings', false, async (): Promise<PublicSettings> => {
    return Object.fromEntries((await snapshot(deps)).public)
  })
}

/** Returns the requested settings that are public, and leaves out the others. */
export async function pickPublicSettings(deps: ReadDeps, batch: SettingsBatch): Promise<PublicSettings> {
  const settings = (await snapshot(deps)).public
  const keys = new Set(Array.isArray(batch) ? batch : batch.keys)
  return Object.fromEntries([...settings].filter(([key]) => keys.has(key)))
}

/** @throws AppError 404, also for a private setting */
export function getPublicSetting(deps: ReadDeps, key: string): Promise<EncodedBody> {
  return answer(deps, `setting ${key}`, false, async (): Promise<PublicSetting> => {
    const value = found((await snapshot(deps)).public.get(key), 'setting')
    return { key, value }
  })
}

/** Lists all rows by key. */
export async function listAllSettings({ db }: Pick<Deps, 'db'>): Promise<Setting[]> {
  return (await rows.listSettings(db)).map(toSetting)
}

/** @throws AppError 404 */
export async function getSetting({ db }: Pick<Deps, 'db'>, key: string): Promise<Setting> {
  return toSetting(found(await rows.findSetting(db, key), 'setting'))
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkSettingFields(fields: Partial<NewSetting>, params: { key?: string }): void {
  checkSetting({ key: '', ...fields, ...params })
}

/** @throws AppError 400 for an invalid key or value; 409 KEY_TAKEN */
export async function createSetting(deps: WriteDeps, actor: Actor, input: NewSetting): Promise<Setting> {
  const { key, value, description, isPublic } = input
  checkSetting(input)
  return write(deps, async (tx) => {
    const row = await rows.insertSetting(tx.db, { key, value, description, is_public: isPublic })
    if (row === undefined) throw conflict('KEY_TAKEN', `There is already a setting ${key}`)
    recordWrite(tx, actor, key, null, row)
    return toSetting(row)
  })
}

/** A setting to write; `ifMatch` is the header, if sent (contract section 1, "Lost updates"). */
type SettingTarget = { key: string; ifMatch: string | undefined }

/** @throws AppError 400 for an invalid value; 404; 412 STALE */
export async function updateSetting(
  deps: WriteDeps,
  actor: Actor,
  target: SettingTarget,
  input: SettingChange,
): Promise<Setting> {
  const { key } = target
  const { value, description, isPublic } = input
  checkSetting({ key, ...input })
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const after = await rows.putSetting(tx.db, key, { value, description, is_public: isPublic })
    recordWrite(tx, actor, key, before, after)
    return toSetting(after)
  })
}

/** Sets the value of a documented setting, also one that has no row yet. */
export async function setSetting(deps: WriteDeps, actor: Actor, key: SettingKey, value: string): Promise<void> {
  await write(deps, async (tx) => {
    const before = (await rows.lockSetting(tx.db, key)) ?? null
    recordWrite(tx, actor, key, before, await rows.putSetting(tx.db, key, { value }))
  })
}

/** Returns a documented setting to its default. @throws AppError 404; 412 STALE */
export async function deleteSetting(deps: WriteDeps, actor: Actor, target: SettingTarget): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await rows.deleteSetting(tx.db, target.key)
    recordWrite(tx, actor, target.key, before, null)
  })
}

async function lockCurrent(tx: UnitOfWork, { key, ifMatch }: SettingTarget): Promise<rows.SettingRow> {
  const row = found(await rows.lockSetting(tx.db, key), 'setting')
  await refuseStale(ifMatch, row.version, () => toSetting(row))
  return row
}

function snapshot({ db, cached }: ReadDeps): Promise<SettingsSnapshot> {
  return cached.settings.get('all', async () => {
    const all = await rows.listSettings(db)
    return { values: withDefaults(all), public: publicSettings(all) }
  })
}

function recordWrite(
  tx: UnitOfWork,
  actor: Actor,
  key: string,
  before: rows.SettingRow | null,
  after: rows.SettingRow | null,
): void {
  const fields = (row: rows.SettingRow | null) =>
    row && { value: row.value, description: row.description, isPublic: row.is_public }
  tx.recordChange('setting', [key])
  tx.audit({ actor, entity: 'CONFIG', entityId: key, before: fields(before), after: fields(after) })
}

function toSetting(row: rows.SettingRow): Setting {
  return toWire(Setting, { ...row, ...describeSetting(row.key) })
}
