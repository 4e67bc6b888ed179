import type { Db } from '../../../db/database.ts'
import { findRecord, listRecords } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { found } from '../../errors.ts'
import * as rules from '../../rules/settings/keys.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import * as wire from '../../schemas/settings.ts'
import { answer } from '../catalogue/answers.ts'
import { getRecord, type RecordKind, recordUseCases } from '../records.ts'
import { toWire } from '../wire.ts'

/** Returns every documented setting, cached until it changes on any instance. */
export async function settingValues(deps: Deps): Promise<rules.SettingValues> {
  return (await snapshot(deps)).values
}

/** Reads them past the cache. A transaction must not wait for the cache, whose load may be waiting for a connection. */
export async function freshSettings(db: Db): Promise<rules.SettingValues> {
  return rules.withDefaults(await listRecords(db, 'app_config'))
}

/** Reads a documented setting from the database, for jobs, whose flags must not be stale. */
export async function freshSetting({ db }: Pick<Deps, 'db'>, key: rules.SettingKey): Promise<string> {
  const row = await findRecord(db, 'app_config', key)
  return rules.withDefaults(row ? [row] : [])[key]
}

/** Lists public settings (contract section 7, "Config"). */
export function listPublicSettings(deps: Deps): Promise<EncodedBody> {
  return answer(deps, 'settings', wire.PublicSettings, async () => {
    return Object.fromEntries((await snapshot(deps)).public)
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
  if (value !== undefined) rules.checkSetting(key, value)
}

/** A documented setting always has a row; deleting it returns it to its default. */
export const SETTINGS = {
  table: 'app_config',
  name: 'setting',
  entity: 'CONFIG',
  change: 'setting',
  audited: (row) => toWire(wire.SettingChange, row, true),
  toWire: (row) => toWire(wire.Setting, { ...row, ...rules.describeSetting(row.key) }),
  toValues(input, current) {
    const key = current?.key ?? input.key ?? ''
    const { value, description, isPublic } = input
    rules.checkSetting(key, value)
    return { key, value, description, is_public: isPublic }
  },
  defaultsOf(row) {
    const value = rules.describeSetting(row.key).default
    return value === null ? null : { value }
  },
  conflicts: { app_config_pkey: ['KEY_TAKEN', 'There is already a setting with this key'] },
} satisfies RecordKind<'app_config', wire.Setting, wire.SettingChange & { key?: string }>

export const {
  list: listSettings,
  create: createSetting,
  update: updateSetting,
  delete: deleteSetting,
} = recordUseCases(SETTINGS)

/** @throws AppError 404 */
export const getSetting = (deps: Deps, id: string) => getRecord(deps, SETTINGS, id)

function snapshot({ db, cached }: Deps): Promise<rules.SettingsSnapshot> {
  return cached.settings.get('all', async () => {
    const rows = await listRecords(db, 'app_config')
    const visible = rows.filter(({ is_public }) => is_public)
    return { values: rules.withDefaults(rows), public: new Map(visible.map(({ key, value }) => [key, value])) }
  })
}
