/** One step of 30 seconds before and after the current one: clocks of phones differ. */
const TOLERANCE_S = 30

/** A secret for an authenticator app, and the address that its QR code holds. @param label the account */
export async function newTotpSecret(issuer: string, label: string): Promise<{ secret: string; uri: string }> {
  // Imported on first use, since most processes need it seldom.
  const { generateSecret, generateURI } = await import('otplib')
  const secret = generateSecret()
  return { secret, uri: generateURI({ issuer, label, secret }) }
}

/** The step of RFC 6238 whose code this is, if it is a current one; else null. @param code six digits */
export async function totpStepOf(secret: string, code: string, now: Date): Promise<number | null> {
  const { verify } = await import('otplib')
  const epoch = Math.floor(now.getTime() / 1000)
  const result = await verify({ strategy: 'totp', secret, token: code, epoch, epochTolerance: TOLERANCE_S })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}
