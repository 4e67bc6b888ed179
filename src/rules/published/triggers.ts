import { type SettingEffect, settingAffects } from '../settings/keys.ts'
import type { Changed } from '../webhooks.ts'

/** Finds the publications that show what changed. A changed image is a changed product; settings name their effects. */
export function outdatedPublications(changes: Changed[]): ('feed' | 'google-merchant' | 'sitemap')[] {
  const isChanged = (...kinds: string[]) => changes.some(({ kind }) => kinds.includes(kind))
  const inFeeds = isChanged('product', 'category', 'brand') || changesSetting(changes, 'feed')
  const inSitemap = isChanged('product', 'category', 'tag')
  return [...(inFeeds ? (['feed', 'google-merchant'] as const) : []), ...(inSitemap ? (['sitemap'] as const) : [])]
}

/** Whether a setting with this effect was changed. */
export function changesSetting(changes: Changed[], effect: SettingEffect): boolean {
  const settings = changes.flatMap(({ kind, ids }) => (kind === 'setting' ? [...(ids ?? [])] : []))
  return settings.some((key) => settingAffects(String(key), effect))
}
