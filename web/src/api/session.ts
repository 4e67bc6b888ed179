const TOKEN = 'shop_token'

export function readToken(): string | null {
  return localStorage.getItem(TOKEN)
}

/** Who is asked for the password when a session ends; the page sets it. */
let prompt: () => void = () => {}
let waiting: (() => void)[] = []

export function onSessionEnd(show: () => void): void {
  prompt = show
}

/** Resolves when the user has logged in again. @param rejected the token that the API refused */
export function askToLogIn(rejected: string): Promise<void> {
  const current = readToken()
  if (current !== null && current !== rejected) return Promise.resolve()
  prompt()
  return new Promise((resolve) => waiting.push(resolve))
}

export function startSession(token: string): void {
  localStorage.setItem(TOKEN, token)
  for (const resume of waiting) resume()
  waiting = []
}

export function endSession(): void {
  localStorage.removeItem(TOKEN)
}

/** When the token was issued and when it ends, in milliseconds since 1970; null if it isn't one. */
export function tokenTimes(token: string): { issued: number; expires: number } | null {
  try {
    const claims: unknown = JSON.parse(atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''))
    if (typeof claims !== 'object' || claims === null || !('iat' in claims) || !('exp' in claims)) return null
    return { issued: Number(claims.iat) * 1000, expires: Number(claims.exp) * 1000 }
  } catch {
    return null
  }
}
