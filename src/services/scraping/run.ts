import { databaseFault } from '../../../db/errors.ts'
import { enqueueImageless } from '../../../db/queries/scraping/queue.ts'
import * as queue from '../../../db/queries/scraping/tasks.ts'
import type { ScrapeTaskRow } from '../../../db/tables/scraping.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { endOfTask, type Finds, MAX_ATTEMPTS } from '../../rules/scraping/outcomes.ts'
import { write } from '../../runtime/write.ts'
import { freshSetting } from '../settings/settings.ts'
import { type ScrapeDeps, scrapeProduct } from './product.ts'
import { createScrapeProgress, type ScrapeProgress } from './progress.ts'

/** How soon a task is taken up again whose process died; whoever lives says so four times as often. */
const LEASE_MS = 60_000
/** A stop waits so long for images under way. */
const GRACE_MS = 3000
/** What one host is asked for goes one by one in any case; beside that, images are decoded and stored. */
const AT_ONCE = 4

type RunDeps = ScrapeDeps & Pick<Deps, 'scraping'>

/** Works off what is due in the queue, the oldest first; joins the run under way in this process. */
export async function runScraping(deps: RunDeps): Promise<void> {
  await deps.tasks.join(deps.scraping, () => scrapeDueTasks(deps))
}

/**
 * Gives a newcomer something to see: the demo supplier's products get their pictures without being asked for. Those
 * that were tried once are left to staff. Never rejects.
 */
export async function fetchFirstImages(deps: RunDeps): Promise<void> {
  const { tasks, log } = deps
  try {
    if (tasks.stopping || !(await isEnabled(deps))) return
    const enqueued = await write(deps, (tx) => enqueueImageless(tx.db, { untried: true }))
    if (enqueued === 0) return
    log.info({ enqueued }, 'images of the demo storefront are being fetched')
    await tasks.runNext(deps.scraping, () => scrapeDueTasks(deps))
  } catch (error) {
    if (!tasks.stopping) log.error({ err: error }, 'images of the demo storefront not fetched')
  }
}

/** Batch by batch, as long as there is something due and nobody switches it off (specification, "Background jobs"). */
async function scrapeDueTasks(deps: ScrapeDeps): Promise<void> {
  const progress = createScrapeProgress(deps.log)
  let goOn = true
  while (goOn && (await isEnabled(deps)) && !deps.tasks.stopping) {
    goOn = await deps.tasks.run((signal) => scrapeBatch(deps, signal, progress), GRACE_MS)
  }
  progress.reportEnd()
}

/** The setting counts; without one, the environment. */
async function isEnabled(deps: Pick<Deps, 'db' | 'config'>): Promise<boolean> {
  const setting = await freshSetting(deps, 'gbstore.scraping.enabled')
  return setting === '' ? deps.config.scraping.enabled : setting === 'true'
}

/** @returns whether to look for more at once */
async function scrapeBatch(
  deps: ScrapeDeps,
  signal: AbortSignal,
  progress: ScrapeProgress,
): Promise<boolean> {
  const { db, log, config, tasks } = deps
  const lost = await queue.releaseLostTasks(db, MAX_ATTEMPTS)
  if (lost.pending + lost.failed > 0) log.warn(lost, 'scraping: tasks that a process left behind')
  const held = new Set(await queue.claimTasks(db, config.scraping.batchSize, LEASE_MS))
  const taken = held.size
  const keep = () =>
    queue.extendLeases(db, [...held], LEASE_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'scraping: leases not extended')
    })
  const heart = setInterval(keep, LEASE_MS / 4)
  const waiting = [...held].values()
  let outage: unknown
  const worker = async () => {
    for (const task of waiting) {
      if (outage !== undefined || tasks.stopping) return
      try {
        await scrapeTask(deps, task, signal, progress)
        held.delete(task)
      } catch (error) {
        outage ??= error
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } finally {
    clearInterval(heart)
    if (held.size > 0) await queue.giveTasksBack(db, [...held])
  }
  if (outage !== undefined && !tasks.stopping) throw outage
  return taken > 0
}

/** @throws when the process stops, and for what has nothing to do with the task: it is to be given back */
async function scrapeTask(
  deps: ScrapeDeps,
  task: ScrapeTaskRow,
  signal: AbortSignal,
  progress: ScrapeProgress,
): Promise<void> {
  const { db, log } = deps
  const finds = await scrapeProduct(deps, task, signal, progress.addImage).catch((error: unknown): Finds => {
    if (deps.tasks.stopping || isOutage(error)) throw error
    log.error({ err: error, task: task.id, productId: task.product_id }, 'scraping: a task failed')
    return {
      page: { message: 'Something unforeseen: see the log', permanent: false },
      images: 0,
      failures: [],
    }
  })
  const end = endOfTask(finds, task.attempts)
  if (end.status === 'PENDING') await queue.postponeTask(db, task, end.delayMs, end.message)
  else await queue.finishTask(db, task, end)
  if (end.status !== 'DONE') {
    const { status, message } = end
    log.warn({ productId: task.product_id, attempts: task.attempts, status, message }, 'scraping: no images')
  }
  progress.addTask(end.status)
}

/** Database or storage are away: every other task would fare the same. */
function isOutage(error: unknown): boolean {
  const fault = databaseFault(error)
  return fault === 'AWAY' || fault === 'READ_ONLY' || (error instanceof AppError && error.status === 503)
}
