import { DateTime, IANAZone } from 'luxon'

const PATTERN = /^\d{2}\.\d{2}\.\d{4} \d{2}:\d{2}:\d{2}\.\d{3}$/
const FORMAT = 'dd.MM.yyyy HH:mm:ss.SSS'
// Offsets change on quarter hours only, so one look-up serves a quarter.
const QUARTER_HOUR_MS = 900_000
const MAX_CACHED_OFFSETS = 100_000

/** The supplier's date format in one time zone. */
export interface SupplierTime {
  /** Epoch milliseconds as `dd.MM.yyyy HH:mm:ss.SSS`. */
  format(epochMs: number): string
  /** @returns epoch milliseconds; undefined for an invalid date */
  parse(text: string): number | undefined
  /** RFC 3339 with offset, to the minute, as in feeds. */
  feedDate(epochMs: number): string
}

/** @param zoneName IANA name @throws Error for an unknown zone */
export function supplierTime(zoneName: string): SupplierTime {
  const zone = IANAZone.create(zoneName)
  if (!zone.isValid) throw new Error(`unknown time zone: ${zoneName}`)
  const offsets = new Map<number, number>()

  const offsetMs = (epochMs: number): number => {
    const quarter = Math.floor(epochMs / QUARTER_HOUR_MS)
    const known = offsets.get(quarter)
    if (known !== undefined) return known
    const offset = zone.offset(quarter * QUARTER_HOUR_MS) * 60_000
    if (offsets.size >= MAX_CACHED_OFFSETS) offsets.clear()
    offsets.set(quarter, offset)
    return offset
  }

  return {
    format(epochMs) {
      // Built from the ISO text, since a luxon call for each of 100 000 records would dominate a full load.
      const iso = new Date(epochMs + offsetMs(epochMs)).toISOString()
      return `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)} ${iso.slice(11, 23)}`
    },
    parse(text) {
      if (!PATTERN.test(text)) return undefined
      const parsed = DateTime.fromFormat(text, FORMAT, { zone })
      return parsed.isValid ? parsed.toMillis() : undefined
    },
    feedDate(epochMs) {
      return DateTime.fromMillis(epochMs, { zone }).toFormat("yyyy-MM-dd'T'HH:mmZZ")
    },
  }
}
