import { type Static, Type } from '@sinclair/typebox'
import { described, Edited } from './common.ts'

const Key = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,100}$',
  maxLength: 100,
  description: 'Name of the setting',
  examples: ['site_name'],
})
const Value = Type.String({ maxLength: 10_000, description: 'Always a text; what it may be the key decides' })
const Description = Type.String({ maxLength: 1000, description: 'What the setting is for' })
const IsPublic = Type.Boolean({ description: 'Whether anyone may read it' })

/** A path that can't name a key is a 404. */
export const SettingParams = Type.Object({ key: Key })

const EXAMPLE = { key: 'site_name', value: 'Инструмент 24', description: 'Name of the shop', isPublic: true }

/** A row of app_config as staff see it. */
export const Setting = Type.Object(
  {
    key: Type.String({ description: 'Name of the setting' }),
    value: Type.String({ description: 'Always a text' }),
    description: Type.String({ description: 'What the setting is for' }),
    isPublic: IsPublic,
    version: Edited.properties.version,
    updatedAt: Edited.properties.updatedAt,
  },
  {
    $id: 'Setting',
    description: 'A setting as staff see it',
    examples: [{ ...EXAMPLE, version: 3, updatedAt: '2026-11-21T10:05:00.000Z' }],
  },
)
export type Setting = Static<typeof Setting>

export const NewSetting = Type.Object(
  {
    key: Key,
    value: Value,
    description: Type.Optional(Description),
    isPublic: Type.Optional(described(IsPublic, 'Whether anyone may read it; absent: nobody but staff')),
  },
  {
    $id: 'NewSetting',
    description: 'A setting to add',
    examples: [{ key: 'opening_hours', value: '9–18', description: 'Shown in the footer', isPublic: true }],
  },
)
export type NewSetting = Static<typeof NewSetting>

export const SettingChange = Type.Omit(NewSetting, ['key'], {
  $id: 'SettingChange',
  description: 'A setting as it shall be; what is absent stays',
  examples: [{ value: 'Инструмент 24' }],
})
export type SettingChange = Static<typeof SettingChange>

export const PublicSetting = Type.Pick(Setting, ['key', 'value'], {
  $id: 'PublicSetting',
  description: 'A setting as anyone may see it',
  examples: [{ key: 'site_name', value: 'Инструмент 24' }],
})
export type PublicSetting = Static<typeof PublicSetting>

/** `{key: value}`. */
export const PublicSettings = Type.Record(Type.String(), Type.String(), {
  $id: 'PublicSettings',
  description: 'Values of public settings by their keys',
  examples: [{ site_name: 'Инструмент 24', shop_currency: 'RUB' }],
})
export type PublicSettings = Static<typeof PublicSettings>

const Keys = Type.Array(Type.String({ maxLength: 100, description: 'Name of a setting' }), {
  maxItems: 200,
  description: 'The settings to read',
})

/** Clients send the keys with and without a wrapping object (contract section 7, "Config"). */
export const SettingsBatch = Type.Union([Type.Object({ keys: Keys }), Keys], {
  $id: 'SettingsBatch',
  description: 'Names of settings, as a list or as an object with that list',
  examples: [{ keys: ['site_name', 'shop_currency'] }, ['site_name', 'shop_currency']],
})
export type SettingsBatch = Static<typeof SettingsBatch>
