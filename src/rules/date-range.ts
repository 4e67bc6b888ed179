import { DateTime } from 'luxon'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * The first moment that `dateFrom` includes.
 * @param text a day of the shop's calendar, or an ISO timestamp; without an offset it is the shop's time
 * @returns null when it is neither
 */
export function firstMoment(text: string, timeZone: string): Date | null {
  return readMoment(text, timeZone)?.toJSDate() ?? null
}

/** The first moment that `dateTo` does not include any more: the end of the day, or of the millisecond. */
export function endMoment(text: string, timeZone: string): Date | null {
  const moment = readMoment(text, timeZone)
  if (moment === null) return null
  // The next day begins where its calendar says: a day with a change of clocks hasn't 24 hours.
  return (DAY.test(text) ? moment.plus({ days: 1 }).startOf('day') : moment.plus(1)).toJSDate()
}

function readMoment(written: string, timeZone: string): DateTime | null {
  // A plus that wasn't encoded arrives as a space.
  const text = written.replace(/ (?=\d{2}:?\d{2}$)/, '+')
  if (!DAY.test(text) && !MOMENT.test(text)) return null
  const moment = DateTime.fromISO(text, { zone: timeZone })
  if (!moment.isValid || moment.year < 1) return null
  return DAY.test(text) ? moment.startOf('day') : moment
}
