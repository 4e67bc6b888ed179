import type { Trx } from '../../../db/database.ts'
import { insertConsent } from '../../../db/queries/privacy/consents.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { loginNetwork } from '../../rules/accounts/client-address.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { settingValues } from '../settings/settings.ts'

/** Checks the consent of a form that needs it (docs/privacy.md). @throws AppError 400 */
export function requireConsent({ consent_required }: SettingValues, consent: boolean | undefined): void {
  if (consent_required === 'true' && consent !== true) throw invalid({ path: 'consent', code: 'EMPTY' })
}

/** The same for settings that are still to be read. @throws AppError 400 */
export async function checkConsent(deps: Deps, { consent }: { consent?: boolean }): Promise<void> {
  requireConsent(await settingValues(deps), consent)
}

type Given = Pick<Parameters<typeof insertConsent>[1], 'kind' | 'email' | 'phone'> & {
  consent: boolean | undefined
  /** Of the client. */
  address: string
}

/** Stores a consent that was given, in the transaction of what it was given for. */
export async function storeConsent(trx: Trx, settings: SettingValues, given: Given): Promise<void> {
  const { consent, address, kind, email, phone } = given
  const { consent_required, privacy_policy_version } = settings
  if (consent !== true || (consent_required === 'false' && privacy_policy_version === '')) return
  const network = loginNetwork(address)
  await insertConsent(trx, { kind, email, phone, policy_version: privacy_policy_version, network })
}
