import { settingEffects } from '../../rules/settings/keys.ts'
import type { Change, ChangedId, ChangeKind } from '../changes/changes.ts'

/** What makes stale what is held. */
export type Dependence = {
  /** Changes that make all of it stale; of settings only those that the catalogue shows, unless `settings`. */
  staleBy: readonly ChangeKind[]
  settings?: 'all'
  /** Changes that make only that stale whose key is the id of what was changed. */
  keyedBy?: ChangeKind
}

/** Something that is held, and dropped when it is stale. */
export type Droppable = {
  clear(): void
  apply(kind: ChangeKind, ids: Change['ids']): void
  /** Drops what any order may change, and what is being read now. */
  dropByStock(): void
  /** Drops what shows another availability of these products than they have. @param now null: it could not be read */
  dropFlipped(ids: ReadonlySet<number>, now: ReadonlyMap<number, boolean> | null): void
  /** Which of these products anything shows. @param ids null: any */
  showing(ids: Change['ids']): number[]
}

/** What a change makes stale: the ids, if it is not all or nothing. */
export function staleness(
  { staleBy, settings, keyedBy }: Dependence,
  kind: ChangeKind,
  ids: Change['ids'],
): 'all' | 'nothing' | ReadonlySet<ChangedId> {
  const names = (id: ChangedId) => settings === 'all' || settingEffects(String(id)).includes('catalogue')
  if (kind === 'setting' && ids && ![...ids].some(names)) return 'nothing'
  if (staleBy.includes(kind)) return 'all'
  return kind === keyedBy ? (ids ?? 'all') : 'nothing'
}
