/** A full load of products compared with our active ones. */
export type FullLoad = {
  /** Products that it did not list. */
  missed: number
  /** Products that the previous full load missed, and those of them that this one missed, too. */
  missedBefore: number
  missedTwice: number
  /** Products that it could have listed. */
  all: number
  /** Whether it, and the previous one, listed nothing. */
  empty: boolean
  emptyBefore: boolean
}

type Verdict = {
  /** For staff: why the load is not trusted. Its watermark is not stored, and the next run is a full load, too. */
  warning: string | null
  /** Whether products that were missed twice are deactivated. */
  deactivate: boolean
  /** Whether an operator has to decide if the missing products are gone. */
  waitsForAcceptance: boolean
}

/** A larger share of missing products is considered a fault of the supplier. */
const MAX_MISSED_SHARE = 0.2
const HOW_TO_ACCEPT = 'To deactivate them: POST /admin/sync/run?acceptVanished=true'

/**
 * Judges a full load of products (docs/supplier.md): products are gone if two full loads in a row missed them.
 * A load that misses too many proves nothing, not even together with the next one.
 * @param accepted an operator confirms that many are gone; does not apply to those missed for the first time
 */
export function judgeFullLoad(load: FullLoad, accepted: boolean): Verdict {
  const { missed, missedBefore, all, empty, emptyBefore } = load
  const limit = accepted ? all : all * MAX_MISSED_SHARE
  if (missed > limit) {
    const facts = `${missed} of ${all} active products are missing from the supplier's full list`
    const warning = `${facts}; none was made inactive. ${HOW_TO_ACCEPT}`
    return { warning, deactivate: false, waitsForAcceptance: true }
  }
  const gone = missedBefore > limit ? 0 : load.missedTwice
  const decided = { deactivate: gone > 0, waitsForAcceptance: false }
  const remedy = 'the next run is a full load, too'
  if (missed > gone) {
    const facts = `${missed - gone} of ${all} active products were missing from the supplier's full list for the first time`
    return { warning: `${facts}; ${remedy}`, ...decided }
  }
  if (empty && missed === 0 && !emptyBefore && !accepted) {
    return { warning: `The supplier's full list of products is empty; ${remedy}`, ...decided }
  }
  return { warning: null, ...decided }
}
