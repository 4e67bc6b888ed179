import type { Finding } from '../patience.ts'
import type { World, WorldOptions } from '../world.ts'
import { bulkEdit } from './bulk-edit.ts'
import { feedRebuild } from './feed.ts'
import { deleteImage, replaceImage, uploadImage } from './images.ts'
import { mail } from './mail.ts'
import { migration } from './migration.ts'
import { placeOrder, submitOrder } from './orders.ts'
import { pipeline } from './pipeline.ts'
import { scrape } from './scrape.ts'
import { fullSync, incrementalSync } from './sync.ts'
import { webhook } from './webhook.ts'

/** One go of a flow: what a client does, and what must be true when it has succeeded. */
export type Step = {
  /** Repeated as a whole until it doesn't throw, as a client repeats a request whose answer it didn't get. */
  act(): Promise<void>
  check(): Promise<Finding[]>
  /** How long `check` may find something; 0: nothing from the beginning. */
  patienceMs?: number
}

export type Flow = {
  name: string
  world: WorldOptions
  /** Runs once per shop. */
  begin?(world: World): Promise<void>
  /** Prepares a step; nothing of it is counted. */
  prepare(world: World): Promise<Step>
  /** Waits for what leases hold back, after all points. */
  end?(world: World): Promise<Finding[]>
}

/** The flows whose messages are struck. */
export const FLOWS: Flow[] = [
  placeOrder,
  submitOrder,
  fullSync,
  incrementalSync,
  feedRebuild,
  uploadImage,
  replaceImage,
  deleteImage,
  scrape,
  pipeline,
  bulkEdit,
  mail,
  webhook,
  migration,
]
