import { invalid, LANGUAGES } from '../../errors.ts'
import { MAX_INT } from '../lists.ts'
import { JOBS, type JobFlag } from '../operations/jobs.ts'
import { MAX_QUANTITY } from '../stock/pricing.ts'
import {
  BASE_URL,
  BOOLEAN,
  CONTACT,
  DAY_RANGE,
  DELIVERY_METHODS,
  EMAIL,
  EMAILS,
  integerFrom,
  LINE,
  NAME,
  oneOf,
  PAGE_PATTERN,
  PRODUCT_TEMPLATE,
  pagePath,
  type SettingRule,
  type SettingValue,
  TEMPLATE,
  TEXT,
} from './values.ts'

/** Of the name of a new setting. */
export const SETTING_KEY = '^(?!public$)[A-Za-z][A-Za-z0-9_.-]{0,99}$'

/** Sections of a form, by the beginnings of their keys. */
const GROUPS = {
  SHOP: ['site_', 'shop_', 'consent_', 'privacy_', 'staff_'],
  SEO: ['seo_'],
  CATALOGUE: ['category_'],
  ORDERS: ['order_', 'delivery_'],
  CONTACTS: ['contact_'],
  MAILS: ['notification_', 'alert_', 'customer_mails', 'mail_', 'password_'],
  FEEDS: ['feed_'],
  SUPPLIER: ['sync_', 'gbstore.'],
  JOBS: ['job_'],
  OTHER: [''],
} as const
type SettingGroup = keyof typeof GROUPS
export const SETTING_GROUPS = Object.keys(GROUPS).filter((name): name is SettingGroup => name in GROUPS)

const keys = {
  // Empty: as the environment says.
  'gbstore.scraping.enabled': { default: '', ...BOOLEAN },
  site_name: { ...NAME, default: 'Shop' },
  seo_site_title: { ...TEXT, default: '' },
  seo_site_description: { ...TEXT, default: '' },
  seo_product_title_template: { ...PRODUCT_TEMPLATE, default: '{name} — {siteName}' },
  seo_product_description_template: { ...PRODUCT_TEMPLATE, default: '{name}, {price}. {siteName}' },
  seo_category_title_template: { ...TEMPLATE, default: '{name} — {siteName}' },
  seo_category_description_template: { ...TEMPLATE, default: '{name}. {siteName}' },
  seo_tag_title_template: { ...TEMPLATE, default: '{name} — {siteName}' },
  seo_tag_description_template: { ...TEMPLATE, default: '{name}. {siteName}' },
  seo_brand_title_template: { ...TEMPLATE, default: '{name} — {siteName}' },
  seo_brand_description_template: { ...TEMPLATE, default: '{name}. {siteName}' },
  category_tree_orphan_as_root: { default: 'true', ...BOOLEAN },
  category_tree_root_category_id: { default: '', ...integerFrom(1, MAX_INT) },
  shop_currency: {
    default: 'RUB',
    // Those of the YML format.
    ...oneOf('RUR', 'RUB', 'USD', 'EUR', 'UAH', 'BYN', 'KZT'),
  },
  shop_company: { ...TEXT, default: '' },
  staff_totp_required: { default: 'false', ...BOOLEAN },
  shop_security_contact: { default: '', ...CONTACT },
  delivery_price: { default: '', ...integerFrom(0, 9_999_999) },
  delivery_days: { default: '', ...DAY_RANGE },
  delivery_methods: { default: '[]', ...DELIVERY_METHODS },
  notification_email: { default: '', ...EMAIL },
  alert_email: { default: '', ...EMAILS },
  alert_sync_minutes: { default: '60', ...integerFrom(1, 10_080) },
  customer_mails: { default: 'true', ...BOOLEAN },
  customer_mails_per_hour: { default: '10', ...integerFrom(0, 1_000_000) },
  mail_language: { default: 'ru', ...oneOf(...LANGUAGES) },
  password_reset_path: pagePath('/reset-password'),
  order_status_path: pagePath('/order'),
  consent_required: { default: 'false', ...BOOLEAN },
  privacy_policy_version: { ...LINE, default: '' },
  order_allow_backorder: { default: 'false', ...BOOLEAN },
  contact_limit_per_ip: { default: '5', ...integerFrom(0, 1_000_000) },
  contact_limit_per_phone: { default: '3', ...integerFrom(0, 1_000_000) },
  contact_limit_window_minutes: { default: '60', ...integerFrom(1, 100_000) },
  order_limit_per_ip: { default: '20', ...integerFrom(0, 1_000_000) },
  order_limit_per_phone: { default: '10', ...integerFrom(0, 1_000_000) },
  order_limit_window_minutes: { default: '60', ...integerFrom(1, 100_000) },
  order_personal_days: { default: '0', ...integerFrom(0, 100_000) },
  contact_personal_days: { default: '0', ...integerFrom(0, 100_000) },
  sync_full_hours: { default: '24', ...integerFrom(1, 8760) },
  order_hold_hours: { default: '72', ...integerFrom(0, 100_000) },
  order_hold_hours_unconfirmed: { default: '24', ...integerFrom(0, 100_000) },
  order_max_quantity: { default: '20', ...integerFrom(1, MAX_QUANTITY) },
  feed_product_url: { default: '/products/{slug}', ...PAGE_PATTERN },
  feed_image_url: { default: '', ...BASE_URL },
  feed_store: { default: 'false', ...BOOLEAN },
  feed_pickup: { default: 'false', ...BOOLEAN },
  feed_delivery: { default: 'true', ...BOOLEAN },
  feed_min_offers_percent: { default: '50', ...integerFrom(0, 100) },
} satisfies Record<string, SettingRule>
const jobFlags = Object.fromEntries(JOBS.map(({ flag }) => [flag, { default: 'true', ...BOOLEAN }]))
const rules: Record<string, SettingRule> = { ...jobFlags, ...keys }

export type SettingKey = keyof typeof keys | JobFlag
export type SettingValues = Record<SettingKey, string>

/** The values of all documented settings, and of those that the public may read. */
export type SettingsSnapshot = { values: SettingValues; public: ReadonlyMap<string, string> }

/** Fills in the defaults of documented settings that have no row. */
export function withDefaults(rows: { key: string; value: string }[]): SettingValues {
  const stored = new Map(rows.map((row) => [row.key, row.value]))
  const values = Object.entries(rules).map(([key, rule]) => [key, stored.get(key) ?? rule.default])
  return Object.fromEntries(values)
}

/**
 * Checks a value; undocumented keys accept any text.
 * @param path of the value in the request
 * @returns what is stored of it
 * @throws AppError 400
 */
export function readSetting(key: string, given: string, path = 'value'): string {
  const rule = ruleOf(key)
  const value = rule.read?.(given) ?? given
  if ((value === '' && mayBeEmpty(rule)) || rule.isValid(value)) return value
  const ofParts = rule.faultsOfParts?.(value, path) ?? []
  throw invalid(...(ofParts.length > 0 ? ofParts : [{ path, ...rule.fault }]))
}

/** What a form needs to know of a key's values; undocumented keys take any text and have no default. */
export function describeSetting(key: string) {
  const rule = ruleOf(key)
  const { type, allowed = null, min = null, max = null, placeholders = null, default: byDefault = null } = rule
  const group = SETTING_GROUPS.find((name) => GROUPS[name].some((beginning) => key.startsWith(beginning))) ?? 'OTHER'
  return { group, type, nullable: mayBeEmpty(rule), allowed, min, max, placeholders, default: byDefault }
}

function mayBeEmpty(rule: SettingValue & Partial<SettingRule>): boolean {
  return rule.default === '' || rule.isValid('')
}

function ruleOf(key: string): SettingValue & Partial<SettingRule> {
  return (Object.hasOwn(rules, key) && rules[key]) || TEXT
}
