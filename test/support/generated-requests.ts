import { isObject, type Operation, type Parameter, type Schema } from './api-description.ts'

export type GeneratedRequest = {
  path: string
  headers: Record<string, string>
  text?: string
  form?: FormData
}

/** A generator of numbers in [0, 1), deterministic per seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A valid value, one at the limit, or an invalid one. */
type Mood = 'right' | 'edge' | 'wrong'

const WORDS = ['перфоратор', 'Дрель', 'лампа', 'Product', 'site_name', 'anna', '100%', "o'neill", '7 900', '"', '_']
const ODD_TEXTS = ['', ' ', '\0', '\ud800', '😀'.repeat(20), '\\', "';--", '<b>&amp;', '\u202e', '\n\r\t', 'ёЁ', 'null']
const ODD_VALUES = [null, true, '3', [3], {}, [], -1, 0.5, 1e30, '', 'x', Number.MAX_SAFE_INTEGER]
const ODD_SEGMENTS = [
  'abc',
  '0x10',
  '1e1',
  '+16',
  '-1',
  '1.5',
  '0',
  '%00',
  '%c0%ae',
  '%F0%9F%98%80',
  '..%2f..',
  '9'.repeat(40),
]
const ODD_BODIES = ['{', 'null', '[]', '"x"', '[[[[', '{"a":1,}', '﻿{}', '{"__proto__":{"x":1}}', 'x'.repeat(1_100_000)]
/** An image of one pixel. */
const PICTURE = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
)
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
]

/**
 * Generates requests from a description: most valid, many at the limits, many invalid.
 * @param known existing values of path parameters, by name
 */
export function requestGenerator(
  schemas: { [name: string]: Schema },
  known: { [parameter: string]: string[] },
  random: () => number,
): (method: string, path: string, operation: Operation) => GeneratedRequest {
  const chance = (of: number) => random() < of
  const below = (limit: number) => Math.floor(random() * limit)
  function pick<T>(list: readonly T[], otherwise: T): T {
    return list[below(list.length)] ?? otherwise
  }
  const mood = (): Mood => pick<Mood>(['right', 'right', 'right', 'edge', 'wrong'], 'right')

  /** Resolves a reference, or chooses one of several schemas. */
  function plain(schema: Schema): Schema {
    const name = String(schema.$ref ?? '').replace('#/components/schemas/', '')
    const { anyOf, allOf } = schema
    const inner =
      schemas[name] ?? (Array.isArray(anyOf) ? pick(anyOf, {}) : Array.isArray(allOf) ? allOf[0] : undefined)
    return isObject(inner) ? plain(inner) : schema
  }

  function valueFor(described: Schema, how: Mood): unknown {
    const schema = plain(described)
    if (how === 'wrong' && chance(0.5)) return pick<unknown>(ODD_VALUES, null)
    const { enum: words, const: only, examples } = schema
    if (Array.isArray(words)) return how === 'wrong' ? 'NOPE' : pick<unknown>(words, null)
    if (only !== undefined) return only
    if (how === 'right' && Array.isArray(examples) && chance(0.6)) return pick<unknown>(examples, null)
    switch (pick([schema.type].flat(), 'null')) {
      case 'integer':
        return Math.round(numberOf(schema, how))
      case 'number':
        return numberOf(schema, how)
      case 'string':
        return textOf(schema, how)
      case 'boolean':
        return chance(0.5)
      case 'array':
        return listOf(schema, how)
      case 'object':
        return objectOf(schema, how)
      default:
        return null
    }
  }

  function numberOf({ minimum = 0, maximum = 1e9 }: Schema, how: Mood): number {
    const [least, most] = [Number(minimum), Number(maximum)]
    if (how === 'right') return Math.min(most, least + below(40))
    return how === 'edge' ? pick([least, most, least + 1, most - 1], least) : pick([least - 1, most + 1, 1e300], -1)
  }

  function textOf({ minLength = 0, maxLength = 60, pattern, format, examples }: Schema, how: Mood): string {
    const [least, most] = [Number(minLength), Math.min(Number(maxLength), 20_000)]
    if (how === 'wrong') return pick([...ODD_TEXTS, 'я'.repeat(most + 1)], '')
    if (pattern !== undefined && Array.isArray(examples)) return String(examples[0])
    if (format === 'email') return `u${below(1e9)}@example.test`
    if (format === 'date') return pick(['2026-11-21', '1900-01-01', '9999-12-31', '2024-02-29'], '')
    if (format === 'date-time') return pick(['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123+03:00'], '')
    if (how === 'right') return `${pick(WORDS, '')} ${below(1000)}`.slice(0, most).padEnd(least, 'x')
    return pick(['я', '1', '%', ' ', '😀'], 'я').repeat(pick([least, most, Math.floor(most / 2)], least))
  }

  function listOf({ items, minItems = 0, maxItems = 5 }: Schema, how: Mood): unknown[] {
    const [least, most] = [Number(minItems), Number(maxItems)]
    const length =
      how === 'right' ? Math.max(least, 1 + below(3)) : pick(how === 'edge' ? [least, most] : [most + 1, 0], least)
    return Array.from({ length }, () => valueFor(isObject(items) ? items : {}, how === 'wrong' ? mood() : 'right'))
  }

  function objectOf({ properties, required = [], examples }: Schema, how: Mood): object {
    const example = Array.isArray(examples) ? pick<unknown>(examples, {}) : {}
    const made: { [name: string]: unknown } = isObject(example) && chance(0.5) ? { ...example } : {}
    const names = Object.entries(isObject(properties) ? properties : {})
    const spoilt = how === 'wrong' ? below(names.length) : -1
    for (const [index, [name, member]] of names.entries()) {
      const needed = Array.isArray(required) && required.includes(name)
      if (!isObject(member) || !(needed || chance(0.5))) continue
      const part = index === spoilt ? 'wrong' : how === 'edge' ? pick<Mood>(['edge', 'right'], 'edge') : 'right'
      if (part === 'wrong' && chance(0.3)) delete made[name]
      else if (part !== 'right' || made[name] === undefined) made[name] = memberFor(name, member, part)
    }
    return how === 'right' ? made : { ...made, role: 'SUPER_ADMIN', userId: 1, unknown: [1, { a: null }] }
  }

  function memberFor(name: string, schema: Schema, how: Mood): unknown {
    return how === 'right' && /email|^to$/i.test(name) ? `u${below(1e9)}@example.test` : valueFor(schema, how)
  }

  /** Replaces most ids with existing ones. */
  function withKnownIds(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(withKnownIds)
    if (!isObject(value)) return value
    const members = Object.entries(value).map(([name, member]) => {
      const ids = known[name]
      return [name, ids && typeof member === 'number' && chance(0.95) ? Number(pick(ids, '1')) : withKnownIds(member)]
    })
    return Object.fromEntries(members)
  }

  function parameterText({ name, schema, example }: Parameter, how: Mood): string {
    if (how === 'right' && example !== undefined && chance(0.5) && !known[name]) return String(example)
    if (how === 'right' && known[name]) return pick(known[name], '1')
    const value = valueFor(schema, how)
    // Node rejects longer headers before routing.
    return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 1200)
  }

  function segmentOf(parameter: Parameter, how: Mood): string {
    if (how === 'wrong') return pick([...ODD_SEGMENTS, 'a'.repeat(1200)], 'x')
    const text = parameterText(parameter, known[parameter.name] && chance(0.8) ? 'right' : how)
    return encodeURIComponent(text.toWellFormed()) || 'x'
  }

  function queryOf(parameters: Parameter[], how: Mood): string {
    const parts = parameters.flatMap((parameter) => {
      if (!(parameter.required ? chance(how === 'wrong' ? 0.7 : 1) : chance(0.4))) return []
      const one = () => `${parameter.name}=${encodeURIComponent(parameterText(parameter, how).toWellFormed())}`
      return how === 'wrong' && chance(0.1) ? [one(), one()] : [one()]
    })
    if (how === 'wrong' && chance(0.2)) parts.push(pick(['%00=1', 'x=%00', '%', '__proto__=1', 'a[b]=c', '&&='], 'x'))
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  }

  function formOf(how: Mood): FormData {
    const form = new FormData()
    const [name, file] = [pick(WORDS, 'file'), new File([PICTURE], `${pick(WORDS, 'a')}.png`)]
    if (how !== 'right') form.append(name, pick(ODD_TEXTS, '').toWellFormed())
    if (how !== 'wrong' || chance(0.5)) form.append('file', file)
    if (how === 'wrong') form.append(pick(['file', 'picture'], 'file'), chance(0.5) ? file : 'text')
    return form
  }

  function bodyOf(operation: Operation, how: Mood): Pick<GeneratedRequest, 'headers' | 'text' | 'form'> {
    const headers = { 'content-type': 'application/json' }
    if (how === 'wrong' && chance(0.1)) {
      return { headers: { 'content-type': pick(OTHER_TYPES, 'text/plain') }, text: '{}' }
    }
    if (how === 'wrong' && chance(0.2)) return { headers, text: pick(ODD_BODIES, '{') }
    if (operation.requestBody?.content['multipart/form-data']) return { headers: {}, form: formOf(how) }
    const schema = operation.requestBody?.content['application/json']?.schema
    if (schema !== undefined) return { headers, text: JSON.stringify(withKnownIds(valueFor(schema, how))) }
    return chance(0.2) ? { headers, text: pick(['', '{}'], '') } : { headers: {} }
  }

  return (method, path, operation) => {
    const { parameters = [] } = operation
    const at = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place)
    // Only one part is invalid, so that the checks of the others pass.
    const odd = pick(['path', 'query', 'body', 'none'], 'none')
    const how = (part: string): Mood => (part === odd ? mood() : 'right')
    const filled = at('path').reduce(
      (text, parameter) => text.replace(`{${parameter.name}}`, () => segmentOf(parameter, how('path'))),
      path,
    )
    const body = method === 'GET' || method === 'HEAD' ? { headers: {} } : bodyOf(operation, how('body'))
    const headers: Record<string, string> = { ...body.headers }
    for (const parameter of at('header')) {
      if (chance(0.2))
        headers[parameter.name] = pick(['key-1', 'key 2', `key-${below(1000)}`, 'x'.repeat(201), 'é'], 'k')
    }
    return { ...body, path: filled + queryOf(at('query'), how('query')), headers }
  }
}
