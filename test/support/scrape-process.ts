import { runScraping } from '../../src/services/scraping/run.ts'
import { childDeps } from './child-deps.ts'

/** Processes the scrape queue until the test kills this process. */
const deps = await childDeps({
  GBSTORE_SCRAPING_ALLOWED_HOSTS: '127.0.0.1',
  GBSTORE_SCRAPING_DELAY_MS: '0',
})
await runScraping(deps)
process.send?.('done')
