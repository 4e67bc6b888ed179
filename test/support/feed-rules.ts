import { SaxesParser } from 'saxes'

type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string }

/** What is wrong with a value; null: nothing. */
type Rule = (text: string) => string | null
/** How often an element may stand in its parent, and what it may hold. */
type Part = { min: number; max: number; rule: Rule }

const CURRENCIES = ['RUR', 'RUB', 'USD', 'EUR', 'UAH', 'BYN', 'KZT']

const matches =
  (pattern: RegExp): Rule =>
  (text) =>
    pattern.test(text) ? null : `${text.slice(0, 60)} does not match ${pattern}`
const oneOf = (...values: string[]) => matches(new RegExp(`^(${values.join('|')})$`))
/** One line of 1 to `max` characters that doesn't begin or end with a space. */
const words =
  (max: number): Rule =>
  (text) => {
    if (text === '' || text.trim() !== text || /[\n\r\t]| {2}/.test(text)) return `"${text}" is no tidy line`
    return text.length > max || !text.isWellFormed() ? `${text.length} characters, not ${max}` : null
  }
const address =
  (max: number): Rule =>
  (text) =>
    text.length <= max && /^https?:\/\/[!-~]+$/.test(text) && URL.canParse(text) ? null : `no address: ${text}`
const isDate: Rule = (text) => (Number.isNaN(Date.parse(text)) ? `${text} is no date` : null)

const one = (rule: Rule): Part => ({ min: 1, max: 1, rule })
const maybe = (rule: Rule): Part => ({ min: 0, max: 1, rule })
const upTo = (max: number, rule: Rule): Part => ({ min: 0, max, rule })
const anything: Rule = () => null

const amount = matches(/^(?!0+\.0+$)\d{1,10}\.\d\d$/)
const boolean = oneOf('true', 'false')

/** In the order of the format. */
const YML_SHOP = {
  name: one(words(120)),
  company: one(words(120)),
  url: one(address(512)),
  currencies: one(anything),
  categories: one(anything),
  'delivery-options': maybe(anything),
  offers: one(anything),
}
const YML_OFFER = {
  url: one(address(512)),
  price: one(amount),
  oldprice: maybe(amount),
  currencyId: one(oneOf(...CURRENCIES)),
  categoryId: one(matches(/^[1-9]\d*$/)),
  picture: upTo(10, address(512)),
  store: maybe(boolean),
  pickup: maybe(boolean),
  delivery: maybe(boolean),
  name: one(words(120)),
  vendor: maybe(words(256)),
  vendorCode: maybe(words(100)),
  description: maybe(words(3000)),
  count: maybe(matches(/^\d{1,10}$/)),
  param: upTo(100, words(500)),
}

const googlePrice = matches(/^(?!0+\.0+ )\d{1,10}\.\d\d (RUB|USD|EUR|UAH|BYN|KZT)$/)
const GOOGLE_CHANNEL = {
  lastBuildDate: one(isDate),
  title: one(words(150)),
  link: one(address(2000)),
  description: one(words(5000)),
  item: upTo(Number.POSITIVE_INFINITY, anything),
}
const GOOGLE_ITEM = {
  'g:id': one(matches(/^[\w-]{1,50}$/)),
  title: one(words(150)),
  description: one(words(5000)),
  link: one(address(2000)),
  'g:image_link': one(address(2000)),
  'g:additional_image_link': upTo(10, address(2000)),
  'g:availability': one(oneOf('in_stock', 'out_of_stock', 'preorder', 'backorder')),
  'g:price': one(googlePrice),
  'g:sale_price': maybe(googlePrice),
  'g:brand': maybe(words(70)),
  'g:mpn': maybe(words(70)),
  'g:identifier_exists': one(oneOf('yes', 'no')),
  'g:product_type': maybe(words(750)),
  'g:condition': one(oneOf('new', 'refurbished', 'used')),
}

/** Holds a YML feed against the written rules of the format. @returns what breaks them */
export function findYmlFaults(xml: string): string[] {
  const root = parse(xml)
  const faults = [...checkDeclaration(xml), ...expectName(root, 'yml_catalog')]
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?[+-]\d\d:\d\d$/.test(root.attributes.date ?? '')) {
    faults.push(`date ${root.attributes.date}`)
  }
  const shop = root.children[0] ?? root
  faults.push(...expectName(shop, 'shop'), ...checkParts(shop, YML_SHOP, 'shop'))
  const currencies = childrenOf(shop, 'currencies').map(({ attributes }) => `${attributes.id} ${attributes.rate}`)
  if (currencies.length !== 1 || !CURRENCIES.some((id) => currencies[0] === `${id} 1`)) {
    faults.push(`currencies ${currencies}`)
  }
  const categories = new Set<string>()
  for (const { attributes, text } of childrenOf(shop, 'categories')) {
    const { id = '', parentId } = attributes
    const isKnown = parentId === undefined || categories.has(parentId)
    if (!/^[1-9]\d*$/.test(id) || categories.has(id) || !isKnown) faults.push(`category ${id} of ${parentId}`)
    faults.push(...list(`category ${id}`, words(120)(text)))
    categories.add(id)
  }
  const options = childrenOf(shop, 'delivery-options')
  for (const { attributes } of options) {
    const isValid = /^\d+$/.test(attributes.cost ?? '') && /^(\d+(-\d+)?)?$/.test(attributes.days ?? '-')
    if (!isValid || options.length > 5) faults.push(`delivery option ${JSON.stringify(attributes)}`)
  }
  const ids = new Set<string>()
  for (const offer of childrenOf(shop, 'offers')) {
    const { id = '', available } = offer.attributes
    const at = `offer ${id}`
    if (offer.name !== 'offer' || !/^[a-z0-9]{1,20}$/i.test(id) || ids.has(id)) faults.push(`${at} has a bad id`)
    ids.add(id)
    faults.push(...list(at, boolean(available ?? '')), ...checkParts(offer, YML_OFFER, at))
    const text = (name: string) => offer.children.find((child) => child.name === name)?.text
    const oldPrice = text('oldprice')
    if (oldPrice !== undefined && !(Number(oldPrice) > Number(text('price')))) faults.push(`${at}: oldprice`)
    if (!categories.has(text('categoryId') ?? '')) faults.push(`${at}: category ${text('categoryId')}`)
    if (text('currencyId') !== currencies[0]?.split(' ')[0]) faults.push(`${at}: currency`)
    for (const { name, attributes } of offer.children) {
      if (name === 'param') faults.push(...list(at, words(100)(attributes.name ?? '')))
    }
  }
  return faults
}

/** Holds a feed against Google's product data specification. @returns what breaks it */
export function findGoogleFaults(xml: string): string[] {
  const root = parse(xml)
  const faults = [...checkDeclaration(xml), ...expectName(root, 'rss')]
  const { version, 'xmlns:g': namespace } = root.attributes
  if (version !== '2.0' || namespace !== 'http://base.google.com/ns/1.0') faults.push('version or namespace')
  const channel = root.children[0] ?? root
  faults.push(...expectName(channel, 'channel'), ...checkParts(channel, GOOGLE_CHANNEL, 'channel'))
  const ids = new Set<string>()
  for (const item of channel.children.filter(({ name }) => name === 'item')) {
    const text = (name: string) => item.children.find((child) => child.name === name)?.text
    const id = text('g:id') ?? ''
    const at = `item ${id}`
    if (ids.has(id)) faults.push(`${at} is repeated`)
    ids.add(id)
    faults.push(...checkParts(item, GOOGLE_ITEM, at))
    const [price = '', currency] = (text('g:price') ?? '').split(' ')
    const [salePrice, saleCurrency] = text('g:sale_price')?.split(' ') ?? []
    if (salePrice !== undefined && !(Number(salePrice) < Number(price) && saleCurrency === currency)) {
      faults.push(`${at}: sale price`)
    }
    const isIdentified = text('g:brand') !== undefined && text('g:mpn') !== undefined
    if ((text('g:identifier_exists') === 'yes') !== isIdentified) faults.push(`${at}: identifier_exists`)
  }
  return faults
}

function parse(xml: string): Element {
  const open: Element[] = [{ name: '', attributes: {}, children: [], text: '' }]
  const parser = new SaxesParser({ xmlns: false })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (piece) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  const root = open[0]?.children[0]
  if (root === undefined) throw new Error('no root element')
  return root
}

function checkParts(element: Element, parts: Record<string, Part>, at: string): string[] {
  const names = Object.keys(parts)
  const order = element.children.map(({ name }) => names.indexOf(name))
  const misplaced = element.children.find((_, index) => (order[index] ?? -1) < (order[index - 1] ?? 0))
  const faults = misplaced ? [`${at}: ${misplaced.name} is unknown or out of order`] : []
  const found = Map.groupBy(element.children, ({ name }) => name)
  for (const [name, { min, max, rule }] of Object.entries(parts)) {
    const same = found.get(name) ?? []
    if (same.length < min || same.length > max) faults.push(`${at}: ${same.length} of ${name}`)
    for (const { text } of same) faults.push(...list(`${at}: ${name}`, rule(text)))
  }
  return faults
}

function checkDeclaration(xml: string): string[] {
  return xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>') ? [] : ['no XML declaration at the first byte']
}

function expectName({ name }: Element, expected: string): string[] {
  return name === expected ? [] : [`${name} instead of ${expected}`]
}

function childrenOf(parent: Element, name: string): Element[] {
  return parent.children.find((child) => child.name === name)?.children ?? []
}

function list(at: string, fault: string | null): string[] {
  return fault === null ? [] : [`${at}: ${fault}`]
}
