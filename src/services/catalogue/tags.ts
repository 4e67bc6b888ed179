import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { deleteSlugs, reserveId } from '../../../db/queries/catalogue/slugs.ts'
import * as rows from '../../../db/queries/catalogue/tags.ts'
import type { CatalogueTables } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import { canonicalPath } from '../../rules/published/pages.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { textOrNull } from '../../rules/text.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { StaffTag, Tag, type TagInput } from '../../schemas/tags.ts'
import { freshSettings, settingValues } from '../settings/settings.ts'
import { answer, slugOwner, staffAnswer } from './answers.ts'
import { reserveSlug } from './editing.ts'

/** All tags by name. */
export async function listTags(deps: Deps): Promise<StaffTag[]> {
  const config = await settingValues(deps)
  return (await rows.listTags(deps.db)).map((row) => toStaffTag(row, config))
}

/** @throws AppError 404 */
export async function getTag(deps: Deps, id: number): Promise<StaffTag> {
  return readTag(deps.db, id, await settingValues(deps))
}

/** The tag's landing page. @throws AppError 404, to the public also for a disabled tag */
export async function getTagBySlug(deps: Deps, slug: string, staff: boolean): Promise<EncodedBody> {
  const { id } = await slugOwner(deps, 'tag', slug)
  if (staff) return staffAnswer(StaffTag, await getTag(deps, id))
  return answer(deps, `tag ${id}`, Tag, async () => {
    const row = await rows.findTag(deps.db, id)
    if (!row?.enabled) throw notFound('tag')
    return toTag(row, await settingValues(deps))
  })
}

/** Without a slug, generates one from the name. @throws AppError 409 SLUG_TAKEN */
export function createTag(deps: Deps, actor: Actor, input: TagInput): Promise<StaffTag> {
  return write(deps, async (tx) => {
    const values = toValues(input)
    const id = await reserveId(tx.db, 'tag')
    const slug = await reserveSlug(tx, 'tag', { id, name: values.name }, input.slug)
    await rows.insertTag(tx.db, { ...values, id, slug })
    tx.recordChange('tag', [id])
    const row = found(await rows.lockTag(tx.db, id), 'tag')
    tx.audit({ actor, entity: 'TAG', entityId: id, before: null, after: audited(row) })
    return readTag(tx.db, id)
  })
}

/** A former slug becomes free again; there is no redirect. @throws AppError 404; 409 SLUG_TAKEN; 412 STALE */
export function updateTag(deps: Deps, actor: Actor, target: Target, input: TagInput): Promise<StaffTag> {
  return write(deps, async (tx) => {
    const { id } = target
    const before = await lockTag(tx, target)
    if (input.slug !== undefined && input.slug !== before.slug) {
      await deleteSlugs(tx.db, 'tag', id, await reserveSlug(tx, 'tag', before, input.slug))
    }
    const values = { ...toValues(input), slug: input.slug }
    if (!hasChanges(before, values)) return readTag(tx.db, id)
    await rows.updateTag(tx.db, id, values)
    tx.recordChange('tag', [id])
    const after = found(await rows.lockTag(tx.db, id), 'tag')
    tx.audit({ actor, entity: 'TAG', entityId: id, before: audited(before), after: audited(after) })
    return readTag(tx.db, id)
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteTag(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockTag(tx, target)
    await rows.deleteTag(tx.db, target.id)
    await deleteSlugs(tx.db, 'tag', target.id)
    tx.recordChange('tag', [target.id])
    tx.audit({ actor, entity: 'TAG', entityId: target.id, before: audited(before), after: null })
  })
}

async function lockTag(tx: UnitOfWork, { id, ifMatch }: Target) {
  const row = found(await rows.lockTag(tx.db, id), 'tag')
  await refuseStale(ifMatch, row.version, () => readTag(tx.db, id))
  return row
}

async function readTag(db: Db, id: number, settings?: SettingValues): Promise<StaffTag> {
  return toStaffTag(found(await rows.findTag(db, id), 'tag'), settings ?? (await freshSettings(db)))
}

/** The columns that an input sets, but the slug; an undefined one keeps its value, or gets its default. */
function toValues(input: TagInput) {
  return {
    name: input.name.trim(),
    enabled: input.enabled,
    meta_title: textOrNull(input.metaTitle),
    meta_description: textOrNull(input.metaDescription),
    seo_text_doc: input.seoTextDoc,
  }
}

function audited(row: Selectable<CatalogueTables['tags']>) {
  return {
    name: row.name,
    enabled: row.enabled,
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    seoTextDoc: row.seo_text_doc,
    slug: row.slug,
  }
}

function toTag(row: rows.TagRow, config: SettingValues): Tag {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    enabled: row.enabled,
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    seoTextDoc: row.seo_text_doc,
    seo: resolveSeo('tag', row, config),
    canonicalPath: canonicalPath('tags', row, config),
  }
}

function toStaffTag(row: rows.TagRow, config: SettingValues): StaffTag {
  return {
    ...toTag(row, config),
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    productCount: row.product_count,
  }
}
