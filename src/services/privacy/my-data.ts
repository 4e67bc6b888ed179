import { listItemsByOrder } from '../../../db/queries/orders/items.ts'
import { findDataOf } from '../../../db/queries/privacy/my-data.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { emailForms } from '../../rules/accounts/credentials.ts'
import type { MyData } from '../../schemas/privacy.ts'
import { toProfile } from '../accounts/auth.ts'
import { toOrder } from '../orders/json.ts'

/** What the shop has of an account, for its owner (docs/privacy.md). */
export async function exportMyData({ db }: Deps, user: UserRow): Promise<MyData> {
  const { orders, contacts, consents } = await findDataOf(db, user.id, emailForms(user.email))
  const items = await listItemsByOrder(
    db,
    orders.map(({ id }) => id),
  )
  return {
    account: toProfile(user),
    orders: orders.map((row) => toOrder(row, items.get(row.id) ?? [])),
    contacts: contacts.map((row) => ({
      id: row.id,
      name: row.name,
      phone: row.phone,
      email: row.email,
      message: row.message,
      status: row.status,
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
    })),
    consents: consents.map((row) => ({
      kind: row.kind,
      email: row.email,
      phone: row.phone,
      policyVersion: row.policy_version,
      givenAt: row.given_at.toISOString(),
      network: row.network,
    })),
    reviews: [],
  }
}
