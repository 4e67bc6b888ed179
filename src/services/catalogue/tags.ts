import { deleteSlugs } from '../../../db/queries/catalogue/slugs.ts'
import {
  findTag,
  findTagBySlug,
  listTags as listRows,
  type TagRow,
} from '../../../db/queries/catalogue/tags.ts'
import {
  deleteRecord,
  insertRecord,
  lockRecord,
  nextRecordId,
  updateRecord,
} from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { checkAll, found, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { type Fields, fieldChecks, readText, unchanged } from '../../rules/catalogue/edited-fields.ts'
import { resolveSeo } from '../../rules/catalogue/seo.ts'
import { readSeoText } from '../../rules/catalogue/seo-text.ts'
import { readSlug } from '../../rules/catalogue/slugs.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { refuseStale, type Target } from '../../rules/versions.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { type NewTag, Tag, type TagChange } from '../../schemas/tags.ts'
import { settingValues } from '../settings/settings.ts'
import { toWire } from '../wire.ts'
import { answer, plain } from './answers.ts'
import { reserveSlug } from './slugs.ts'

const FIELDS = {
  name: { column: 'name', read: (name: string) => name.trim() },
  slug: { column: 'slug', read: (slug: string) => readSlug(slug).slug },
  enabled: { column: 'enabled', read: unchanged<boolean> },
  metaTitle: { column: 'meta_title', read: readText },
  metaDescription: { column: 'meta_description', read: readText },
  seoTextDoc: { column: 'seo_text_doc', read: readSeoText },
} as const satisfies Fields<keyof TagRow>

type Reading = Pick<Deps, 'db' | 'cached'>
type Writing = Pick<Deps, 'db' | 'cached' | 'changes'>

/** All tags for staff, by name. */
export async function listTags(deps: Reading): Promise<Tag[]> {
  const config = await settingValues(deps)
  return (await listRows(deps.db)).map((row) => toTag(row, config, true))
}

/** @throws AppError 404 */
export async function getTag(deps: Reading, id: number): Promise<Tag> {
  return readTag(deps.db, id, await settingValues(deps), true)
}

/** The tag's landing page as JSON. @throws AppError 404, to the public also for a disabled tag */
export async function getTagBySlug(deps: Reading, slug: string, staff: boolean): Promise<EncodedBody> {
  const find = async () => {
    const tag = await findTagBySlug(deps.db, slug)
    return tag && (staff || tag.enabled) ? tag : null
  }
  const { id } = found(await (staff ? find() : deps.cached.slugs.get(`tag ${slug}`, find)), 'tag')
  return answer(deps, `tag ${id}`, staff, async () =>
    plain(await readTag(deps.db, id, await settingValues(deps), staff)),
  )
}

/** Checks the fields that are given. @throws AppError 400 */
export function checkTag(input: TagChange): void {
  checkAll(fieldChecks(FIELDS, input))
}

/** Without a slug, generates one from the name. @throws AppError 400; 409 SLUG_TAKEN */
export async function createTag(deps: Writing, actor: Actor, input: NewTag): Promise<Tag> {
  const values = checkAll(fieldChecks(FIELDS, input))
  const config = await settingValues(deps)
  return write(deps, async (tx) => {
    const id = await nextRecordId(tx.db, 'tags')
    const { name = input.name, slug: wanted } = values
    const slug = await reserveSlug(tx, 'tag', { id, name }, wanted)
    await insertRecord(tx.db, 'tags', { ...values, id, name, slug })
    const after = await readTag(tx.db, id, config, true)
    recordTag(tx, actor, id, { before: null, after })
    return after
  })
}

/** A former slug becomes free again; there is no redirect. @throws AppError 400; 404; 409 SLUG_TAKEN; 412 STALE */
export async function updateTag(deps: Writing, actor: Actor, target: Target, input: TagChange): Promise<Tag> {
  const values = checkAll(fieldChecks(FIELDS, input))
  const config = await settingValues(deps)
  return write(deps, async (tx) => {
    const { id } = target
    const before = await lockCurrent(tx, target, config)
    if (values.slug !== undefined && values.slug !== before.slug) {
      await deleteSlugs(tx.db, 'tag', [id], await reserveSlug(tx, 'tag', before, values.slug))
    }
    await updateRecord(tx.db, 'tags', id, values)
    const after = await readTag(tx.db, id, config, true)
    recordTag(tx, actor, id, { before, after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export async function deleteTag(deps: Writing, actor: Actor, target: Target): Promise<void> {
  const config = await settingValues(deps)
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target, config)
    await deleteRecord(tx.db, 'tags', target.id)
    await deleteSlugs(tx.db, 'tag', [target.id])
    recordTag(tx, actor, target.id, { before, after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target, config: SettingValues): Promise<Tag> {
  const row = found(await lockRecord(tx.db, 'tags', id), 'tag')
  const current = await readTag(tx.db, id, config, true)
  refuseStale(ifMatch, row.version, () => current)
  return current
}

async function readTag(db: Deps['db'], id: number, config: SettingValues, staff: boolean): Promise<Tag> {
  const row = await findTag(db, id)
  if (row === undefined || !(staff || row.enabled)) throw notFound('tag')
  return toTag(row, config, staff)
}

function recordTag(
  tx: UnitOfWork,
  actor: Actor,
  id: number,
  { before, after }: { before: Tag | null; after: Tag | null },
): void {
  tx.recordChange('tag', [id])
  tx.audit({
    actor,
    entity: 'TAG',
    entityId: id,
    before: before && audited(before),
    after: after && audited(after),
  })
}

function audited({ name, slug, enabled, metaTitle, metaDescription, seoTextDoc }: Tag) {
  return { name, slug, enabled, metaTitle, metaDescription, seoTextDoc }
}

function toTag(row: TagRow, config: SettingValues, staff: boolean): Tag {
  return toWire(Tag, { ...row, seo: resolveSeo('tag', row, config) }, staff)
}
