import { type Static, Type } from '@sinclair/typebox'
import { SETTING_GROUPS, SETTING_KEY } from '../rules/settings/keys.ts'
import { SETTING_TYPES } from '../rules/settings/values.ts'
import * as t from './common.ts'

const Key = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,100}$',
  maxLength: 100,
  description: 'Name of the setting',
  examples: ['site_name'],
})
const Value = t.FreeText(10_000, 'Always a string; the key determines which values are valid', '9–18')
const Description = t.FreeText(1000, 'Purpose of the setting', 'Shown in the footer')
const IsPublic = Type.Boolean({ description: 'Whether the public may read it' })

/** A path segment that is not a valid key is a 404. */
export const SettingParams = Type.Object({ key: Key })

const SettingType = t.NamedEnum('SettingType', 'Type of the value, which is always sent as a string', SETTING_TYPES)

const SettingGroup = t.NamedEnum('SettingGroup', 'Section of a form that the setting belongs to', SETTING_GROUPS)

export const Setting = t.NamedObject('Setting', 'A setting as staff see it', {
  key: t.Text('Name of the setting', 'site_name'),
  value: t.Text('Always a string', 'Инструмент 24'),
  description: t.Text('Purpose of the setting', 'Name of the shop'),
  isPublic: IsPublic,
  version: t.EDITED.version,
  updatedAt: t.EDITED.updatedAt,
  group: t.ref(SettingGroup),
  type: t.ref(SettingType),
  nullable: Type.Boolean({ description: 'Whether the value may be empty: none' }),
  allowed: t.Nullable(Type.Array(Type.String()), { description: 'Valid values; null: not an enumeration' }),
  min: t.Nullable(Type.Number({ description: 'Smallest valid number; null: no bound' })),
  max: t.Nullable(Type.Number({ description: 'Largest valid number; null: no bound' })),
  placeholders: t.Nullable(Type.Array(Type.String()), {
    description: 'What a template may hold; null: not a template',
  }),
  default: t.Nullable(t.Text('Value until one is set, which may be empty; null: not a documented setting', 'Shop')),
})
export type Setting = Static<typeof Setting>

export const NewSetting = t.NamedObject('NewSetting', 'A setting to create', {
  // No dots alone, which clients resolve as a path, and no `__proto__`.
  key: { ...Key, pattern: SETTING_KEY, examples: ['opening_hours'] },
  value: Value,
  description: Type.Optional(Description),
  isPublic: Type.Optional({ ...IsPublic, description: 'Whether the public may read it; only staff by default' }),
})
export type NewSetting = Static<typeof NewSetting>

export const SettingChange = t.NamedObject(
  'SettingChange',
  'A setting to write; absent fields keep their values',
  Type.Omit(NewSetting, ['key']).properties,
)
export type SettingChange = Static<typeof SettingChange>

export const SettingValues = Type.Record(Type.String(), Value, {
  $id: 'SettingValues',
  description: 'Values to write by key; other settings keep theirs',
  minProperties: 1,
  maxProperties: 200,
  examples: [{ site_name: 'Инструмент 24', delivery_price: '300' }],
})
export type SettingValues = Static<typeof SettingValues>

export const PublicSetting = t.NamedObject(
  'PublicSetting',
  'A setting as the public sees it',
  Type.Pick(Setting, ['key', 'value']).properties,
)
export type PublicSetting = Static<typeof PublicSetting>

export const PublicSettings = Type.Record(Type.String(), Type.String(), {
  $id: 'PublicSettings',
  description: 'Values of public settings by key; all of them come with `siteUrl`, the address of the storefront',
  examples: [{ site_name: 'Инструмент 24', shop_currency: 'RUB' }],
})
export type PublicSettings = Static<typeof PublicSettings>

const Keys = Type.Array(t.FreeText(100, 'Name of a setting'), { maxItems: 200, description: 'The settings to read' })

/** Clients send the keys with or without a wrapping object (docs/content.md). */
export const SettingsBatch = Type.Union([Type.Object({ keys: Keys }), Keys], {
  $id: 'SettingsBatch',
  description: 'Names of settings: a list, or an object with that list',
  examples: [{ keys: ['site_name', 'shop_currency'] }, ['site_name', 'shop_currency']],
})
export type SettingsBatch = Static<typeof SettingsBatch>
