import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { deleteSlugs } from '../../../db/queries/catalogue/slugs.ts'
import * as rows from '../../../db/queries/catalogue/tags.ts'
import * as records from '../../../db/queries/records.ts'
import type { CatalogueTables } from '../../../db/tables/catalogue.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { refuseStale, type Target } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { Tag, TagInput } from '../../schemas/catalogue.ts'
import { recordEdit } from '../records.ts'
import { freshSettings, settingValues } from '../settings/settings.ts'
import { toColumns, toWire } from '../wire.ts'
import { answer, slugOwner, staffAnswer } from './answers.ts'
import { reserveSlug } from './editing.ts'

const TAGS = {
  change: 'tag',
  entity: 'TAG',
  audited: (row: Selectable<CatalogueTables['tags']>) => toWire(TagInput, row, true),
} as const

/** All tags for staff, by name. */
export async function listTags(deps: Deps): Promise<Tag[]> {
  const config = await settingValues(deps)
  return (await rows.listTags(deps.db)).map((row) => toTag(row, config, true))
}

/** @param staff others don't see a disabled tag @throws AppError 404 */
export async function getTag(deps: Deps, id: number, staff = true): Promise<Tag> {
  return readTag(deps.db, id, staff, await settingValues(deps))
}

/** The tag's landing page. @throws AppError 404, to the public also for a disabled tag */
export async function getTagBySlug(deps: Deps, slug: string, staff: boolean): Promise<EncodedBody> {
  const { id } = await slugOwner(deps, 'tag', slug)
  const load = () => getTag(deps, id, staff)
  return staff ? staffAnswer(Tag, await load()) : answer(deps, `tag ${id}`, Tag, load)
}

/** Without a slug, generates one from the name. @throws AppError 409 SLUG_TAKEN */
export function createTag(deps: Deps, actor: Actor, input: TagInput): Promise<Tag> {
  return write(deps, async (tx) => {
    const values = toColumns(TagInput, input)
    const id = await records.nextRecordId(tx.db, 'tags')
    const slug = await reserveSlug(tx, 'tag', { id, name: values.name }, input.slug)
    const row = await records.insertRecord(tx.db, 'tags', { ...values, id, slug })
    recordEdit(tx, TAGS, actor, null, row)
    return readTag(tx.db, id)
  })
}

/** A former slug becomes free again; there is no redirect. @throws AppError 404; 409 SLUG_TAKEN; 412 STALE */
export function updateTag(deps: Deps, actor: Actor, target: Target, input: TagInput): Promise<Tag> {
  return write(deps, async (tx) => {
    const { id } = target
    const before = await lockTag(tx, target)
    if (input.slug !== undefined && input.slug !== before.slug) {
      await deleteSlugs(tx.db, 'tag', id, await reserveSlug(tx, 'tag', before, input.slug))
    }
    const after = await records.updateRecord(tx.db, 'tags', id, toColumns(TagInput, input))
    recordEdit(tx, TAGS, actor, before, after)
    return readTag(tx.db, id)
  })
}

export function deleteTag(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockTag(tx, target)
    await records.deleteRecord(tx.db, 'tags', target.id)
    await deleteSlugs(tx.db, 'tag', target.id)
    recordEdit(tx, TAGS, actor, before, null)
  })
}

async function lockTag(tx: UnitOfWork, { id, ifMatch }: Target) {
  const row = found(await records.lockRecord(tx.db, 'tags', id), 'tag')
  await refuseStale(ifMatch, row.version, () => readTag(tx.db, id))
  return row
}

async function readTag(db: Db, id: number, staff = true, settings?: SettingValues): Promise<Tag> {
  const row = await rows.findTag(db, id)
  if (row === undefined || !(staff || row.enabled)) throw notFound('tag')
  return toTag(row, settings ?? (await freshSettings(db)), staff)
}

function toTag(row: rows.TagRow, config: SettingValues, staff: boolean): Tag {
  return toWire(Tag, { ...row, seo: resolveSeo('tag', row, config) }, staff)
}
