import { startDeliveries } from '../../src/services/webhooks/deliver.ts'
import { childDeps } from './child-deps.ts'

/** Delivers to webhooks until the test kills this process. */
const deps = await childDeps({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
await startDeliveries(deps)
