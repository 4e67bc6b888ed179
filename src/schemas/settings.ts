import { type Static, Type } from '@sinclair/typebox'
import { SETTING_TYPES } from '../rules/settings/keys.ts'
import { described, Edited, Enum, Nullable, ref } from './common.ts'

const Key = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,100}$',
  maxLength: 100,
  description: 'Name of the setting',
  examples: ['site_name'],
})
const Value = Type.String({
  maxLength: 10_000,
  description: 'Always a string; the key determines which values are valid',
})
const Description = Type.String({ maxLength: 1000, description: 'Purpose of the setting' })
const IsPublic = Type.Boolean({ description: 'Whether the public may read it' })

/** A path segment that is not a valid key is a 404. */
export const SettingParams = Type.Object({ key: Key })

const EXAMPLE = { key: 'site_name', value: 'Инструмент 24', description: 'Name of the shop', isPublic: true }

export const SettingType = Enum(SETTING_TYPES, {
  $id: 'SettingType',
  description: 'What a value is, though it is always sent as a string',
})

export const Setting = Type.Object(
  {
    key: Type.String({ description: 'Name of the setting' }),
    value: Type.String({ description: 'Always a string' }),
    description: Type.String({ description: 'Purpose of the setting' }),
    isPublic: IsPublic,
    version: Edited.properties.version,
    updatedAt: Edited.properties.updatedAt,
    type: ref(SettingType),
    allowed: Nullable(Type.Array(Type.String()), { description: 'Valid values; null: not a list' }),
    min: Nullable(Type.Number({ description: 'Smallest valid number; null: no bound' })),
    max: Nullable(Type.Number({ description: 'Largest valid number; null: no bound' })),
    default: Nullable(
      Type.String({ description: 'Value without a row; an empty one may be set too. Null: not documented' }),
    ),
  },
  {
    $id: 'Setting',
    description: 'A setting as staff see it',
    examples: [
      {
        ...EXAMPLE,
        version: 3,
        updatedAt: '2026-11-21T10:05:00.000Z',
        type: 'STRING',
        allowed: null,
        min: null,
        max: null,
        default: 'Shop',
      },
    ],
  },
)
export type Setting = Static<typeof Setting>

export const NewSetting = Type.Object(
  {
    key: Key,
    value: Value,
    description: Type.Optional(Description),
    isPublic: Type.Optional(described(IsPublic, 'Whether the public may read it; only staff by default')),
  },
  {
    $id: 'NewSetting',
    description: 'A setting to create',
    examples: [{ key: 'opening_hours', value: '9–18', description: 'Shown in the footer', isPublic: true }],
  },
)
export type NewSetting = Static<typeof NewSetting>

export const SettingChange = Type.Omit(NewSetting, ['key'], {
  $id: 'SettingChange',
  description: 'A setting to write; an absent field keeps its value',
  examples: [{ value: 'Инструмент 24' }],
})
export type SettingChange = Static<typeof SettingChange>

export const PublicSetting = Type.Pick(Setting, ['key', 'value'], {
  $id: 'PublicSetting',
  description: 'A setting as the public sees it',
  examples: [{ key: 'site_name', value: 'Инструмент 24' }],
})
export type PublicSetting = Static<typeof PublicSetting>

export const PublicSettings = Type.Record(Type.String(), Type.String(), {
  $id: 'PublicSettings',
  description: 'Values of public settings by key',
  examples: [{ site_name: 'Инструмент 24', shop_currency: 'RUB' }],
})
export type PublicSettings = Static<typeof PublicSettings>

const Keys = Type.Array(Type.String({ maxLength: 100, description: 'Name of a setting' }), {
  maxItems: 200,
  description: 'The settings to read',
})

/** Clients send the keys with or without a wrapping object (contract section 7, "Config"). */
export const SettingsBatch = Type.Union([Type.Object({ keys: Keys }), Keys], {
  $id: 'SettingsBatch',
  description: 'Names of settings: a list, or an object with that list',
  examples: [{ keys: ['site_name', 'shop_currency'] }, ['site_name', 'shop_currency']],
})
export type SettingsBatch = Static<typeof SettingsBatch>
