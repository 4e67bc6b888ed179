import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.ts'

const Key = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$', maxLength: 100 })
const Value = Type.String({ maxLength: 10_000 })
const Description = Type.String({ maxLength: 1000 })

/** A path that can't name a key is a 404. */
export const SettingParams = Type.Object({ key: Key })

/** A row of app_config as staff see it. */
export const Setting = Type.Object(
  {
    key: Type.String(),
    value: Type.String(),
    description: Type.String(),
    isPublic: Type.Boolean(),
    updatedAt: Timestamp,
  },
  { $id: 'Setting' },
)
export type Setting = Static<typeof Setting>

export const NewSetting = Type.Object({
  key: Key,
  value: Value,
  description: Type.Optional(Description),
  isPublic: Type.Optional(Type.Boolean()),
})
export type NewSetting = Static<typeof NewSetting>

/** What is absent stays as it is. */
export const SettingChange = Type.Omit(NewSetting, ['key'])
export type SettingChange = Static<typeof SettingChange>

export const PublicSetting = Type.Pick(Setting, ['key', 'value'], { $id: 'PublicSetting' })
export type PublicSetting = Static<typeof PublicSetting>

/** `{key: value}`. */
export const PublicSettings = Type.Record(Type.String(), Type.String(), { $id: 'PublicSettings' })
export type PublicSettings = Static<typeof PublicSettings>

const Keys = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 })

/** Clients send the keys with and without a wrapping object (contract section 7, "Config"). */
export const SettingsBatch = Type.Union([Type.Object({ keys: Keys }), Keys])
export type SettingsBatch = Static<typeof SettingsBatch>
