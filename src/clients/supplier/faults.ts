import type { Static, TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import { beginningOf, unstorable } from '../../rules/text.ts'

/** Of a record's faults; staff read them. */
const MAX_NAMED = 5

/** Skips a record, or a member of it; the message is the reason shown to staff. */
export class Rejection extends Error {}

/** What is wrong with the members of a record, by their paths, such as `attributes[0].value`. */
export type Faults = Map<string, string>

/**
 * Returns the members of a record that fit the schema, in which only `id` is required; the faults of the others are noted.
 * @throws Rejection for anything but an object with an id
 */
export function soundMembers<T extends TSchema>(check: TypeCheck<T>, item: unknown, faults: Faults): Static<T> {
  if (check.Check(item)) return item
  const sound: { [member: string]: unknown } = { ...Object(item) }
  for (const { path, value } of check.Errors(item)) {
    const [, member = ''] = path.split('/')
    delete sound[member]
    if (!faults.has(member)) faults.set(member, describeFault(value))
  }
  if (check.Check(sound)) return sound
  const [[member, fault] = ['', '']] = [...faults].filter(([path]) => path === '' || path === 'id')
  throw new Rejection(`${member || 'the record'} ${fault}`)
}

/** Reads a member; an unsound one is null, and its fault is noted. */
export function readMember<T>(faults: Faults, path: string, read: () => T): T | null {
  if (faults.has(path)) return null
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    faults.set(path, error.message)
    return null
  }
}

/** One sentence on all faults. */
export function describeFaults(faults: Faults): string {
  const named = [...faults].slice(0, MAX_NAMED).map(([path, fault]) => `${path} ${fault}`)
  const more = faults.size - named.length
  return named.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** What is wrong with a value of another type. Lists and objects are not quoted: they may be nested too deeply. */
export function describeFault(value: unknown): string {
  if (value === undefined) return 'is missing'
  if (Array.isArray(value)) return "can't be a list"
  if (typeof value === 'object' && value !== null) return "can't be an object"
  return `can't be ${beginningOf(JSON.stringify(value), 100)}`
}

export const UNSTORABLE: { [Code in NonNullable<ReturnType<typeof unstorable>>]: string } = {
  NULL_CHARACTER: 'contains the character U+0000',
  HALF_CHARACTER: 'contains half of a surrogate pair',
}

/** @throws Rejection for a text that PostgreSQL can't store */
export function storable(text: string): string {
  const code = unstorable(text)
  if (code !== null) throw new Rejection(UNSTORABLE[code])
  return text
}
