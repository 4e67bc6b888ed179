import type { PublicationKind } from '../db/tables/publications.ts'
import type { Deps } from './deps.ts'
import { type SettingEffect, settingEffects } from './rules/settings/keys.ts'
import type { Change, ChangeKind } from './runtime/changes/changes.ts'
import { updateVisibility } from './services/catalogue/category-visibility.ts'
import { requestFeedRebuild } from './services/published/feed.ts'
import { requestSitemapRebuild } from './services/published/sitemap.ts'
import { releaseStaleOrders } from './services/stock/reservations.ts'

/** Changes that show in a publication. A changed image is a changed product; settings name their effects. */
const PUBLISHED_KINDS: Record<PublicationKind, readonly ChangeKind[]> = {
  feed: ['product', 'category', 'brand'],
  sitemap: ['product', 'category', 'tag'],
}

/** Everything that happens after a commit: caches are invalidated, publications rebuilt, new settings applied. */
export function subscribeToChanges(deps: Deps): void {
  const { caches, changes, log } = deps
  changes.subscribe((made) => caches.invalidate(made))
  changes.subscribe((made, from) => {
    // A run rebuilds at its end, and other instances receive the new publication.
    if (from !== 'here') return
    const [feed, sitemap] = [rebuildReason(made, 'feed'), rebuildReason(made, 'sitemap')]
    if (feed !== undefined) requestFeedRebuild(deps, feed)
    if (sitemap !== undefined) requestSitemapRebuild(deps, sitemap)
  })
  changes.subscribe(async (made, from) => {
    // A shorter reservation time applies at once, not only at the next run of the job.
    if (from === 'elsewhere' || changedSetting(made, 'holds') === undefined) return
    await releaseStaleOrders(deps).catch((error) =>
      log.warn({ err: error }, 'release of stale orders failed'),
    )
  })
  changes.subscribe(async (made, from) => {
    if (from === 'elsewhere' || !made.some(({ kind }) => kind === 'categoryFilter')) return
    await updateVisibility(deps).catch((error) =>
      log.warn({ err: error }, 'update of category visibility failed'),
    )
  })
}

/** Why the changes require a new publication, for the log; undefined: they don't. */
function rebuildReason(changes: Change[], published: PublicationKind): string | undefined {
  const kind = changes.find((change) => PUBLISHED_KINDS[published].includes(change.kind))?.kind
  const setting = published === 'feed' ? changedSetting(changes, 'feed') : undefined
  const changed = setting === undefined ? kind : `setting ${setting}`
  return changed && `${changed} changed`
}

function changedSetting(changes: Change[], effect: SettingEffect): string | undefined {
  const settings = changes.flatMap(({ kind, ids }) => (kind === 'setting' ? [...(ids ?? [])] : []))
  return settings.map(String).find((key) => settingEffects(key).includes(effect))
}
