import { violates } from '../../../db/errors.ts'
import * as rows from '../../../db/queries/content/banner-blocks.ts'
import type { Deps } from '../../deps.ts'
import { found, invalid, missingRecord } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { textOrNull, timeOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import {
  type BannerBlock,
  type BannerBlockInput,
  BannerBlocks,
  type StaffBannerBlock,
} from '../../schemas/banner-blocks.ts'
import type { PartQuery } from '../../schemas/lists.ts'
import { answerPart } from '../catalogue/answers.ts'

/** Lists the banners shown now. Periods begin and end without a write: clients see it once the cached answer expires. */
export function listActiveBannerBlocks(deps: Deps, query: PartQuery): Promise<EncodedBody> {
  return answerPart(deps, 'banners', query, BannerBlocks, async () => {
    const listed = await rows.listActiveBannerBlocks(deps.db, deps.now(), query)
    return { rows: listed.rows.map(toBannerBlock), total: listed.total }
  })
}

export async function listBannerBlocks({ db }: Deps): Promise<StaffBannerBlock[]> {
  return (await rows.listBannerBlocks(db)).map(toStaffBannerBlock)
}

/** @throws AppError 404 */
export async function getBannerBlock({ db }: Deps, id: number): Promise<StaffBannerBlock> {
  return toStaffBannerBlock(found(await rows.findBannerBlock(db, id), 'banner'))
}

/** @throws AppError 400, also for an unknown image */
export function createBannerBlock(deps: Deps, actor: Actor, input: BannerBlockInput): Promise<StaffBannerBlock> {
  checkBanner(input)
  return write(deps, async (tx) => {
    const row = await rows.insertBannerBlock(tx.db, toValues(input)).catch(explain)
    tx.recordChange('banner', [row.id])
    tx.audit({ actor, entity: 'BANNER', entityId: row.id, before: null, after: toStaffBannerBlock(row) })
    return toStaffBannerBlock(row)
  })
}

/** @throws AppError 400, also for an unknown image; 404; 412 STALE */
export function updateBannerBlock(
  deps: Deps,
  actor: Actor,
  target: Target,
  input: BannerBlockInput,
): Promise<StaffBannerBlock> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    // An absent end of the period keeps its value, with which the other one must agree.
    const { activeFrom = before.active_from?.toISOString(), activeTo = before.active_to?.toISOString() } = input
    checkBanner({ activeFrom, activeTo })
    const values = toValues(input)
    const current = toStaffBannerBlock(before)
    if (!hasChanges(before, values)) return current
    const after = toStaffBannerBlock(await rows.updateBannerBlock(tx.db, target.id, values).catch(explain))
    tx.recordChange('banner', [target.id])
    tx.audit({ actor, entity: 'BANNER', entityId: target.id, before: current, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteBannerBlock(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await rows.deleteBannerBlock(tx.db, target.id)
    tx.recordChange('banner', [target.id])
    tx.audit({ actor, entity: 'BANNER', entityId: target.id, before: toStaffBannerBlock(before), after: null })
  })
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkBanner({ activeFrom, activeTo }: Partial<BannerBlockInput>): void {
  if (activeFrom && activeTo && Date.parse(activeTo) <= Date.parse(activeFrom))
    throw invalid({ path: 'activeTo', code: 'NOT_AFTER_BEGINNING' })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<rows.BannerBlockRow> {
  const row = found(await rows.lockBannerBlock(tx.db, id), 'banner')
  await refuseStale(ifMatch, row.version, () => toStaffBannerBlock(row))
  return row
}

function explain(error: unknown): never {
  throw violates(error, 'banner_blocks_image_id_fkey') ? invalid(missingRecord('imageId')) : error
}

/** The columns that an input sets; an undefined one keeps its value, or gets its default. */
function toValues(input: BannerBlockInput) {
  return {
    title: input.title.trim(),
    subtitle: textOrNull(input.subtitle),
    text: textOrNull(input.text),
    image_id: input.imageId,
    link_url: textOrNull(input.linkUrl),
    button_text: textOrNull(input.buttonText),
    position: textOrNull(input.position),
    display_order: input.displayOrder,
    active: input.active,
    active_from: timeOrNull(input.activeFrom),
    active_to: timeOrNull(input.activeTo),
  }
}

function toBannerBlock(row: rows.BannerBlockRow): BannerBlock {
  return {
    id: row.id,
    title: row.title,
    subtitle: row.subtitle,
    text: row.text,
    imageId: row.image_id,
    imageUrl: row.image && imageUrl(row.image),
    image: row.image && {
      url: imageUrl(row.image),
      width: row.image.width,
      height: row.image.height,
      alt: row.title,
    },
    linkUrl: row.link_url,
    buttonText: row.button_text,
    position: row.position,
    displayOrder: row.display_order,
    activeFrom: row.active_from?.toISOString() ?? null,
    activeTo: row.active_to?.toISOString() ?? null,
  }
}

function toStaffBannerBlock(row: rows.BannerBlockRow): StaffBannerBlock {
  return {
    ...toBannerBlock(row),
    active: row.active,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
