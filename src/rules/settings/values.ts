import { normalEmail } from '../accounts/credentials.ts'
import type { Fault, FaultReason } from '../faults/sentences.ts'
import { faultsOfDelivery, readDeliveryMethods } from '../orders/delivery.ts'
import { oneLine, VISIBLE_LINE, withoutInvisible } from '../text.ts'

/** What a form needs to know of a setting's values (docs/content.md). */
export const SETTING_TYPES = ['STRING', 'INTEGER', 'DECIMAL', 'BOOLEAN', 'ENUM', 'TEMPLATE', 'URL', 'EMAIL'] as const
type SettingType = (typeof SETTING_TYPES)[number]

/** Values of a setting; a setting whose default is empty may also be empty. */
export type SettingValue = {
  type: SettingType
  allowed?: string[]
  min?: number
  max?: number
  placeholders?: string[]
  /** What is stored of a value; by default all of it. */
  read?(value: string): string
  isValid(value: string): boolean
  /** What is wrong with a value that isn't valid. */
  fault: FaultReason
  /** What is wrong with its parts, where it is known. @param path of the value */
  faultsOfParts?(value: string, path: string): Fault[]
}

/** A documented key of `app_config` (docs/content.md). */
export type SettingRule = SettingValue & { default: string }

export const TEXT: SettingValue = { type: 'STRING', isValid: () => true, fault: { code: 'WRONG_FORM' } }

/** Never blank, since mails and feeds begin with it. */
export const NAME: SettingValue = {
  type: 'STRING',
  isValid: (value) => VISIBLE_LINE.test(value),
  fault: { code: 'EMPTY' },
}

/** As long as one that is stored with each consent. */
export const LINE: SettingValue = {
  type: 'STRING',
  read: oneLine,
  isValid: (value) => value.length <= 100,
  fault: { code: 'TOO_LONG', params: { max: 100 } },
}

/** A misspelt placeholder would be shown on every page. */
function templateOf(...names: string[]): SettingValue {
  const known = names.map((name) => `{${name}}`)
  return {
    type: 'TEMPLATE',
    placeholders: known,
    isValid: (value) => (value.match(/\{[^{}]+\}/g) ?? []).every((one) => known.includes(one)),
    fault: { code: 'UNKNOWN_PLACEHOLDER', params: { known } },
  }
}
export const PRODUCT_TEMPLATE = templateOf('name', 'category', 'brand', 'price', 'siteName')
export const TEMPLATE = templateOf('name', 'siteName')

export function integerFrom(min: number, max: number): SettingValue {
  return {
    type: 'INTEGER',
    min,
    max,
    isValid: (value) => /^(0|[1-9]\d{0,9})$/.test(value) && Number(value) >= min && Number(value) <= max,
    fault: { code: 'NOT_WHOLE_NUMBER_BETWEEN', params: { min, max } },
  }
}

export function oneOf(...allowed: string[]): SettingValue {
  const fault: FaultReason = { code: 'NOT_ONE_OF', params: { values: allowed } }
  return { type: 'ENUM', allowed, isValid: (value) => allowed.includes(value), fault }
}
export const BOOLEAN: SettingValue = { ...oneOf('true', 'false'), type: 'BOOLEAN' }

export const DAY_RANGE: SettingValue = {
  type: 'STRING',
  isValid(value) {
    const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(value) ?? []
    return Number(first) <= Number(last)
  },
  fault: { code: 'NOT_DAY_RANGE' },
}

export const DELIVERY_METHODS: SettingValue = {
  type: 'STRING',
  isValid: (value) => readDeliveryMethods(value) !== null,
  fault: {
    code: 'NOT_DELIVERY_METHODS',
    params: { example: '[{"code":"courier","name":"Курьер","price":300,"freeFrom":5000}]' },
  },
  faultsOfParts: faultsOfDelivery,
}

export const EMAIL: SettingValue = {
  type: 'EMAIL',
  read: withoutInvisible,
  isValid: (value) => value === value.trim() && normalEmail(value) !== null,
  fault: { code: 'NOT_EMAIL' },
}

export const CONTACT: SettingValue = {
  type: 'STRING',
  isValid: (value) => EMAIL.isValid(value) || (/^https:/.test(value) && isPublishable(value)),
  fault: { code: 'NOT_CONTACT' },
}

const MAX_EMAILS = 10
export const EMAILS: SettingValue = {
  // A form for the type EMAIL would accept one address only.
  type: 'STRING',
  read: withoutInvisible,
  isValid(value) {
    const emails = readEmails(value)
    return emails.length <= MAX_EMAILS && emails.every((email) => normalEmail(email) !== null)
  },
  fault: { code: 'NOT_EMAIL_LIST', params: { max: MAX_EMAILS } },
}

/** Splits a list of addresses that are separated by commas. */
export function readEmails(value: string): string[] {
  return value === '' ? [] : value.split(',').map((email) => email.trim())
}

/** A path of the storefront, to which mails append a token; `#` is for those that route by fragment. */
export function pagePath(byDefault: string): SettingRule {
  return {
    type: 'STRING',
    default: byDefault,
    isValid: (value) => value.length <= 200 && /^(\/[A-Za-z0-9._~!#-]+)+$/.test(value),
    fault: { code: 'NOT_PAGE_PATH', params: { example: byDefault } },
  }
}

/** Whether a text is an http(s) URL without credentials, which would be published with it. */
const isPublishable = (value: string) =>
  value.length <= 200 && /^https?:\/\/(?![^/?#]*@)[!#-;=?-\]_a-z~]+$/i.test(value) && URL.canParse(value)

export const BASE_URL: SettingValue = {
  type: 'URL',
  isValid: (value) => isPublishable(value) && !/[?#]|\/$/.test(value),
  fault: { code: 'NOT_BASE_URL', params: { example: 'https://images.shop.example' } },
}

export const PAGE_PATTERN: SettingValue = {
  type: 'TEMPLATE',
  placeholders: ['{slug}', '{id}'],
  isValid(value) {
    const page = value.replace(/\{(?:slug|id)\}/g, '1')
    // A path belongs to SITE_URL.
    return page !== value && isPublishable(/^\/(?!\/)/.test(page) ? `https://shop.example${page}` : page)
  },
  fault: { code: 'NOT_PAGE_PATTERN', params: { either: '{slug}', or: '{id}', example: '/products/{slug}' } },
}
