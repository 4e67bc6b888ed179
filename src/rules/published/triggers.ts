import { type SettingEffect, settingEffects } from '../settings/keys.ts'
import type { Changed } from '../webhooks.ts'

/** Changes that show in a publication. A changed image is a changed product; settings name their effects. */
const SHOWN_IN_FEEDS = ['product', 'category', 'brand']
const TRIGGERS = {
  feed: SHOWN_IN_FEEDS,
  'google-merchant': SHOWN_IN_FEEDS,
  sitemap: ['product', 'category', 'tag'],
}

/** Finds the publications that the changes make outdated. */
export function outdatedPublications(changes: Changed[]): (keyof typeof TRIGGERS)[] {
  return (['feed', 'google-merchant', 'sitemap'] as const).filter(
    (publication) =>
      changes.some(({ kind }) => TRIGGERS[publication].includes(kind)) ||
      (publication !== 'sitemap' && changesSetting(changes, 'feed')),
  )
}

/** Whether a setting with this effect was changed. */
export function changesSetting(changes: Changed[], effect: SettingEffect): boolean {
  const settings = changes.flatMap(({ kind, ids }) => (kind === 'setting' ? [...(ids ?? [])] : []))
  return settings.some((key) => settingEffects(String(key)).includes(effect))
}
