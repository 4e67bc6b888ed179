import { runScraping } from '../../src/services/scraping/run.ts'
import { childDeps } from './child-deps.ts'

/** A process of its own that works off the queue, to be killed by the test. */
const deps = await childDeps({
  GBSTORE_SCRAPING_ALLOWED_HOSTS: '127.0.0.1',
  GBSTORE_SCRAPING_DELAY_MS: '0',
})
await runScraping(deps)
process.send?.('done')
