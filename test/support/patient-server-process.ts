import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { startShop } from '../../src/start.ts'

// Serves and stops like src/server.ts, but without its time limit, which a busy machine exceeds.
const shop = await startShop(readConfig(), createLog({ level: 'info' }))
process.once('SIGTERM', async () => {
  await shop.stop()
  process.exit(0)
})
