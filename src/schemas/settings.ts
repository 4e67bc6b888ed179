import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from './common.ts'

const Key = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$', maxLength: 100 })
const Value = Type.String({ maxLength: 10_000 })
const Description = Type.String({ maxLength: 1000 })

/** A path that can't name a key is a 404. */
export const ConfigKeyParams = Type.Object({ key: Key })

/** A row of app_config as staff see it. */
export const ConfigEntry = Type.Object(
  {
    key: Type.String(),
    value: Type.String(),
    description: Type.String(),
    isPublic: Type.Boolean(),
    updatedAt: Timestamp,
  },
  { $id: 'ConfigEntry' },
)
export type ConfigEntry = Static<typeof ConfigEntry>

export const NewConfigEntry = Type.Object({
  key: Key,
  value: Value,
  description: Type.Optional(Description),
  isPublic: Type.Optional(Type.Boolean()),
})
export type NewConfigEntry = Static<typeof NewConfigEntry>

/** What is absent stays as it is. */
export const ConfigEntryChange = Type.Omit(NewConfigEntry, ['key'])
export type ConfigEntryChange = Static<typeof ConfigEntryChange>

export const PublicConfigEntry = Type.Pick(ConfigEntry, ['key', 'value'], { $id: 'PublicConfigEntry' })
export type PublicConfigEntry = Static<typeof PublicConfigEntry>

/** `{key: value}`. */
export const PublicConfig = Type.Record(Type.String(), Type.String(), { $id: 'PublicConfig' })
export type PublicConfig = Static<typeof PublicConfig>

const Keys = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 200 })

/** Clients send the keys with and without a wrapping object (contract section 7, "Config"). */
export const ConfigBatch = Type.Union([Type.Object({ keys: Keys }), Keys])
export type ConfigBatch = Static<typeof ConfigBatch>
