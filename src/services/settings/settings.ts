import {
  deleteSetting,
  findSetting,
  insertSetting,
  listSettings,
  lockSetting,
  type SettingRow,
  updateSetting,
} from '../../../db/queries/settings/settings.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { checkAll, conflict, notFound } from '../../errors.ts'
import {
  checkSetting,
  checkSettingKey,
  mayBePublic,
  type SettingKey,
  type SettingsSnapshot,
  type SettingValues,
  valueOrDefault,
  withDefaults,
} from '../../rules/settings/keys.ts'
import { refuseStale } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type {
  NewSetting,
  PublicSetting,
  PublicSettings,
  Setting,
  SettingChange,
  SettingsBatch,
} from '../../schemas/settings.ts'

type ReadDeps = Pick<Deps, 'db' | 'cached'>
type WriteDeps = Pick<Deps, 'db' | 'changes'>

/** Every documented setting as it is now; cached, and heard of at once when it changes on any instance. */
export async function settingValues(deps: ReadDeps): Promise<SettingValues> {
  return (await snapshot(deps)).values
}

/** One documented setting straight from the database: for the flags of jobs, which must not act on an old one. */
export async function freshSetting({ db }: Pick<Deps, 'db'>, key: SettingKey): Promise<string> {
  return valueOrDefault(key, (await findSetting(db, key))?.value)
}

/** All public settings (contract section 7, "Config"). */
export async function listPublicSettings(deps: ReadDeps): Promise<PublicSettings> {
  return Object.fromEntries((await snapshot(deps)).shown)
}

/** Those of the asked keys that are public; the others are left out, whether they exist or not. */
export async function pickPublicSettings(deps: ReadDeps, batch: SettingsBatch): Promise<PublicSettings> {
  const { shown } = await snapshot(deps)
  const keys = Array.isArray(batch) ? batch : batch.keys
  const found = keys.map((key): [string, string | undefined] => [key, shown.get(key)])
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined))
}

/** @throws AppError 404 also when the key exists and is not public */
export async function getPublicSetting(deps: ReadDeps, key: string): Promise<PublicSetting> {
  const value = (await snapshot(deps)).shown.get(key)
  if (value === undefined) throw notFound('setting')
  return { key, value }
}

/** Every row, by key. */
export async function listAllSettings({ db }: Pick<Deps, 'db'>): Promise<Setting[]> {
  return (await listSettings(db)).map(toEntry)
}

/** @throws AppError 404 */
export async function getSetting({ db }: Pick<Deps, 'db'>, key: string): Promise<Setting> {
  const row = await findSetting(db, key)
  if (row === undefined) throw notFound('setting')
  return toEntry(row)
}

/** @throws AppError 400 for a key or value that can't be, 409 KEY_TAKEN */
export async function createSetting(deps: WriteDeps, actor: UserRow, input: NewSetting): Promise<Setting> {
  const { key, value, description, isPublic } = input
  checkAll({ key: () => checkSettingKey(key), entry: () => checkSetting(key, input) })
  return write(deps, async (tx) => {
    const row = await insertSetting(tx.db, { key, value, description, is_public: isPublic })
    if (row === undefined) throw conflict('KEY_TAKEN', `There is a setting ${key} already`)
    say(tx, actor, key, { before: null, after: row })
    return toEntry(row)
  })
}

/** Which setting is to be changed; `ifMatch` is the header, if it was sent (contract section 1, "Lost updates"). */
type SettingTarget = { key: string; ifMatch: string | undefined }

/** @throws AppError 400 for a value that can't be; 404; 412 STALE */
export async function changeSetting(
  deps: WriteDeps,
  actor: UserRow,
  target: SettingTarget,
  input: SettingChange,
): Promise<Setting> {
  const { key } = target
  const { value, description, isPublic } = input
  checkSetting(key, input)
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const after = await updateSetting(tx.db, key, { value, description, is_public: isPublic })
    say(tx, actor, key, { before, after })
    return toEntry(after)
  })
}

/** A documented key is back at its default then. @throws AppError 404; 412 STALE */
export async function removeSetting(deps: WriteDeps, actor: UserRow, target: SettingTarget): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await deleteSetting(tx.db, target.key)
    say(tx, actor, target.key, { before, after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { key, ifMatch }: SettingTarget): Promise<SettingRow> {
  const row = await lockSetting(tx.db, key)
  if (row === undefined) throw notFound('setting')
  refuseStale(ifMatch, row.version, () => toEntry(row))
  return row
}

function snapshot({ db, cached }: ReadDeps): Promise<SettingsSnapshot> {
  return cached.settings.get('all', async () => {
    const rows = await listSettings(db)
    const shown = rows.filter((row) => row.is_public && mayBePublic(row.key))
    return { values: withDefaults(rows), shown: new Map(shown.map((row) => [row.key, row.value])) }
  })
}

/** A change is said by its key, and audited. @param before, after null where there was or is no row */
function say(
  tx: UnitOfWork,
  actor: UserRow,
  key: string,
  { before, after }: { before: SettingRow | null; after: SettingRow | null },
): void {
  const fields = (row: SettingRow | null) =>
    row && { value: row.value, description: row.description, isPublic: row.is_public }
  tx.recordChange('setting', [key])
  tx.audit({ actor, entity: 'CONFIG', entityId: key, before: fields(before), after: fields(after) })
}

function toEntry(row: SettingRow): Setting {
  return {
    key: row.key,
    value: row.value,
    description: row.description,
    isPublic: row.is_public,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
  }
}
