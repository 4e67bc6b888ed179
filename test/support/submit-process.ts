import { findUser } from '../../db/queries/accounts/users.ts'
import { submitOrder } from '../../src/services/orders/submit.ts'
import { childDeps } from './child-deps.ts'

/** A process of its own in which TEST_USER_ID submits the order of the first argument, to be killed by the test. */
const deps = await childDeps()
const manager = await findUser(deps.db, Number(process.env.TEST_USER_ID))
if (manager) await submitOrder(deps, manager, { id: Number(process.argv[2]) })
