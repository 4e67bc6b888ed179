import { DateTime, IANAZone } from 'luxon'

const PATTERN = /^\d{2}\.\d{2}\.\d{4} \d{2}:\d{2}:\d{2}\.\d{3}$/
const FORMAT = 'dd.MM.yyyy HH:mm:ss.SSS'

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
  return {
    format(epochMs) {
      // Built from the ISO text: luxon's toFormat for each of 100 000 records would dominate a full load.
      const iso = new Date(epochMs + zone.offset(epochMs) * 60_000).toISOString()
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
