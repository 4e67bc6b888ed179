import { type ErrorDetail, invalid } from '../../errors.ts'
import { normalEmail } from '../accounts/credentials.ts'
import { MAX_INT } from '../lists.ts'

/** What besides the settings themselves a change concerns: cached answers of the catalogue, the YML feed, what orders hold. */
export type SettingEffect = 'catalogue' | 'feed' | 'holds'

/** What `app_config` holds of a documented key; a missing row counts as its default (contract section 2). */
type SettingRule = {
  default: string
  affects?: SettingEffect[]
  /** Whether it must never be shown to the public: an address of staff, what a spammer would like to know. */
  private?: true
  /** What is wrong with a value, as the end of a sentence that begins with the key; null when nothing is. */
  problem?: (value: string) => string | null
}

const isBoolean = (value: string) => (value === 'true' || value === 'false' ? null : 'must be true or false')

const integerFrom = (least: number, most: number) => (value: string) =>
  /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most
    ? null
    : `must be a whole number from ${least} to ${most}`

const emptyOr = (rule: (value: string) => string | null) => (value: string) =>
  value === '' ? null : rule(value)

const dayRange = (value: string) => {
  const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(value) ?? []
  return Number(first) <= Number(last) ? null : 'must be a number of days, a range such as 1-3, or empty'
}

/** Currencies that the YML format knows. */
const CURRENCIES = ['RUR', 'RUB', 'USD', 'EUR', 'UAH', 'BYN', 'KZT']

const keys = {
  job_sync_enabled: { default: 'true', problem: isBoolean },
  job_category_visibility_enabled: { default: 'true', problem: isBoolean },
  'gbstore.scraping.enabled': { default: '', problem: emptyOr(isBoolean) },
  site_name: { affects: ['catalogue', 'feed'], default: 'Shop' },
  seo_site_title: { affects: ['catalogue'], default: '' },
  seo_site_description: { affects: ['catalogue'], default: '' },
  seo_product_title_template: { affects: ['catalogue'], default: '{name} — {siteName}' },
  seo_product_description_template: { affects: ['catalogue'], default: '{name}, {price}. {siteName}' },
  seo_category_title_template: { affects: ['catalogue'], default: '{name} — {siteName}' },
  seo_category_description_template: { affects: ['catalogue'], default: '{name}. {siteName}' },
  seo_tag_title_template: { affects: ['catalogue'], default: '{name} — {siteName}' },
  seo_tag_description_template: { affects: ['catalogue'], default: '{name}. {siteName}' },
  category_tree_orphan_as_root: { affects: ['catalogue', 'feed'], default: 'true', problem: isBoolean },
  category_tree_root_category_id: {
    affects: ['catalogue', 'feed'],
    default: '',
    problem: emptyOr(integerFrom(1, MAX_INT)),
  },
  shop_currency: {
    affects: ['catalogue', 'feed'],
    default: 'RUB',
    problem: (value: string) =>
      CURRENCIES.includes(value) ? null : `must be one of ${CURRENCIES.join(', ')}`,
  },
  shop_company: { affects: ['feed'], default: '' },
  delivery_price: { affects: ['feed'], default: '', problem: emptyOr(integerFrom(0, 9_999_999)) },
  delivery_days: {
    default: '',
    affects: ['feed'],
    problem: emptyOr(dayRange),
  },
  notification_email: {
    private: true,
    default: '',
    problem: emptyOr((value) =>
      value === value.trim() && normalEmail(value) !== null ? null : 'must be an email address',
    ),
  },
  order_allow_backorder: { default: 'false', problem: isBoolean },
  contact_limit_per_ip: { private: true, default: '5', problem: integerFrom(0, 1_000_000) },
  contact_limit_per_phone: { private: true, default: '3', problem: integerFrom(0, 1_000_000) },
  contact_limit_window_minutes: { private: true, default: '60', problem: integerFrom(1, 100_000) },
  order_limit_per_ip: { private: true, default: '20', problem: integerFrom(0, 1_000_000) },
  order_limit_per_phone: { private: true, default: '10', problem: integerFrom(0, 1_000_000) },
  order_limit_window_minutes: { private: true, default: '60', problem: integerFrom(1, 100_000) },
  sync_full_hours: { private: true, default: '24', problem: integerFrom(1, 8760) },
  order_hold_hours: { affects: ['holds'], default: '72', problem: integerFrom(0, 100_000) },
  feed_min_offers_percent: { affects: ['feed'], default: '50', problem: integerFrom(0, 100) },
} satisfies Record<string, SettingRule>

export type SettingKey = keyof typeof keys
export type SettingValues = Record<SettingKey, string>

/** All settings at one moment: the documented ones with their defaults, and what the public may read. */
export type SettingsSnapshot = { values: SettingValues; shown: ReadonlyMap<string, string> }

/** The value of every documented key, given the rows that there are. */
export function withDefaults(rows: { key: string; value: string }[]): SettingValues {
  const rules: Record<SettingKey, SettingRule> = keys
  const stored = new Map(rows.map((row) => [row.key, row.value]))
  const values = Object.entries(rules).map(([key, rule]) => [key, stored.get(key) ?? rule.default])
  return Object.fromEntries(values)
}

/**
 * What a row of the key may say; keys that aren't documented take any text.
 * @throws AppError 400 that names each field that is wrong
 */
export function checkSetting(key: string, entry: { value: string; isPublic?: boolean }): void {
  const faults: ErrorDetail[] = []
  const message = ruleOf(key)?.problem?.(entry.value) ?? null
  if (message !== null) faults.push({ path: 'value', message })
  if (entry.isPublic && !mayBePublic(key)) {
    faults.push({ path: 'isPublic', message: 'must be false: this setting is for staff' })
  }
  if (faults.length > 0) throw invalid(...faults)
}

/** The value that counts for a documented key: the stored one, or the default where no row is. */
export function valueOrDefault(key: SettingKey, stored: string | undefined): string {
  return stored ?? keys[key].default
}

/** What a change of the key makes stale besides the settings. */
export function settingEffects(key: string): SettingEffect[] {
  return ruleOf(key)?.affects ?? []
}

/** Whether anyone may ever read the key: not those that are for staff alone, whatever their row says. */
export function mayBePublic(key: string): boolean {
  return ruleOf(key)?.private !== true
}

const IMPOSSIBLE_KEYS = new Map([
  ['public', 'is the path of the public settings and could never be read'],
  ['.', 'is no path: clients take dots for folders'],
  ['..', 'is no path: clients take dots for folders'],
  // Programs that copy settings into an object of theirs would change its prototype.
  ['__proto__', 'is reserved'],
])

/** The key of a new row; its characters are checked by the schema. @throws AppError 400 */
export function checkSettingKey(key: string): void {
  const message = IMPOSSIBLE_KEYS.get(key)
  if (message !== undefined) throw invalid({ path: 'key', message })
}

function ruleOf(key: string): SettingRule | undefined {
  const rules: Record<string, SettingRule> = keys
  return Object.hasOwn(rules, key) ? rules[key] : undefined
}
