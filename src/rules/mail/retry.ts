/** Minutes between one attempt and the next: ten attempts in two days. */
const PAUSES = [1, 5, 15, 60, 180, 360, 720, 720, 720]

/** How long a mail waits after so many failed attempts, in milliseconds; null when there is no further one. */
export function mailRetryDelay(attempts: number): number | null {
  const minutes = PAUSES[attempts - 1]
  return minutes === undefined ? null : minutes * 60_000
}
