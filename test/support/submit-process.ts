import { findUser } from '../../db/queries/accounts/users.ts'
import { submitOrder } from '../../src/services/orders/submit.ts'
import { childDeps } from './child-deps.ts'

/** Submits the order of the first argument as TEST_USER_ID, until the test kills this process. */
const deps = await childDeps()
const manager = await findUser(deps.db, Number(process.env.TEST_USER_ID))
if (manager) await submitOrder(deps, manager, { id: Number(process.argv[2]) })
