/** What a full load held, compared with what we have. */
export type FullLoad = {
  /** Records of ours that it did not list; of products only active ones count. */
  missed: number
  /** How many of ours the full load before did not list, and how many of them this one did not list either. */
  missedBefore: number
  missedTwice: number
  /** How many records of ours it could have missed. */
  all: number
  /** Whether it listed nothing, and whether the one before did. */
  empty: boolean
  emptyBefore: boolean
}

export type Verdict = {
  /** Whether its watermark is stored; if not, the next run is a full load too. */
  trusted: boolean
  /** Whether products that were missed twice become inactive. */
  deactivate: boolean
  /** What staff should know; null: nothing. */
  warning: string | null
}

/** More products gone than this share of all is taken for a fault of the supplier's. */
const VANISHED_LIMIT = 0.2

/**
 * What a full load of products proves (contract section 8, "Sync"): what it misses is gone when the one before missed
 * it too. One that misses too much proves nothing, not even the next one's misses.
 * @param accepted an operator says that so many are gone; what is missed for the first time is not meant by that
 */
export function judgeProducts(load: FullLoad, accepted: boolean): Verdict {
  const { missed, missedBefore, all } = load
  const limit = accepted ? all : all * VANISHED_LIMIT
  if (missed > limit) {
    const facts = `${missed} of ${all} active products were not in the supplier's full list`
    const remedy = 'If they are really gone: POST /admin/sync/run?acceptVanished=true'
    return { trusted: false, deactivate: false, warning: `${facts}; none was made inactive. ${remedy}` }
  }
  if (missedBefore > limit) {
    return { ...judge({ ...load, missedTwice: 0 }, 'active products', accepted), deactivate: false }
  }
  return { ...judge(load, 'active products', accepted), deactivate: true }
}

/** The same for categories and brands, of which none becomes inactive: whatever is missed twice is gone. */
export function judgeList(load: FullLoad, what: 'categories' | 'brands'): Verdict {
  return { ...judge(load, what, false), deactivate: false }
}

function judge(
  { missed, missedTwice, all, empty, emptyBefore }: FullLoad,
  what: string,
  accepted: boolean,
): Pick<Verdict, 'trusted' | 'warning'> {
  const news = missed - missedTwice
  if (news > 0) {
    const facts = `${news} of ${all} ${what} were missing from the supplier's full list for the first time`
    return { trusted: false, warning: `${facts}; the next run asks for everything again` }
  }
  if (empty && missed === 0 && !emptyBefore && !accepted) {
    const facts = `The supplier's full list of ${what} is empty`
    return { trusted: false, warning: `${facts}; the next run asks for everything again` }
  }
  return { trusted: true, warning: null }
}
