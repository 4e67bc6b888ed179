import { crc32 } from 'node:zlib'

/** The parts of an offer that snapshots compare. Digests are stored in this order, so append new fields. */
export const OFFER_FIELDS = [
  'name',
  'price',
  'available',
  'category',
  'vendor',
  'description',
  'url',
  'pictures',
  'params',
  'other',
] as const
type OfferField = (typeof OFFER_FIELDS)[number]

const DIGITS = 8

/** The CRC-32 of a text in eight hexadecimal digits: detects changes, no protection against forgery. */
function digestOf(text: string): string {
  return crc32(text).toString(16).padStart(DIGITS, '0')
}

/** The digests of an offer's parts, concatenated. */
export function digestsOf(parts: Record<OfferField, string | null | undefined>): string {
  return OFFER_FIELDS.map((field) => digestOf(parts[field] ?? '')).join('')
}

/** The fields whose digests differ between two concatenations. */
export function changedFields(before: string, after: string): OfferField[] {
  const part = (digests: string, index: number) => digests.slice(index * DIGITS, (index + 1) * DIGITS)
  return OFFER_FIELDS.filter((_, index) => part(before, index) !== part(after, index))
}
