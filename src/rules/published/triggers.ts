import { type SettingEffect, settingEffects } from '../settings/keys.ts'

/** Changes that show in a publication. A changed image is a changed product; settings name their effects. */
const SHOWN_IN_FEEDS = ['product', 'category', 'brand']
const TRIGGERS = {
  feed: SHOWN_IN_FEEDS,
  'google-merchant': SHOWN_IN_FEEDS,
  sitemap: ['product', 'category', 'tag'],
}
type Changed = { kind: string; ids: ReadonlySet<number | string> | null }

/** Finds the publications that the changes make outdated, and why, for the log. */
export function outdatedPublications(changes: Changed[]): { kind: keyof typeof TRIGGERS; reason: string }[] {
  return (['feed', 'google-merchant', 'sitemap'] as const).flatMap((publication) => {
    const kind = changes.find((change) => TRIGGERS[publication].includes(change.kind))?.kind
    const setting = publication === 'sitemap' ? undefined : changedSetting(changes, 'feed')
    const changed = setting === undefined ? kind : `setting ${setting}`
    return changed === undefined ? [] : [{ kind: publication, reason: `${changed} changed` }]
  })
}

/** Finds a changed setting that has the effect. */
export function changedSetting(changes: Changed[], effect: SettingEffect): string | undefined {
  const settings = changes.flatMap(({ kind, ids }) => (kind === 'setting' ? [...(ids ?? [])] : []))
  return settings.map(String).find((key) => settingEffects(key).includes(effect))
}
