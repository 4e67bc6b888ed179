/** Parses `Retry-After`, in seconds or as a date. @returns milliseconds from now; null when missing or invalid */
export function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
