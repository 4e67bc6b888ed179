/** Below this share of matched offers the feed is probably another shop's, or its ids have changed. */
const MIN_MATCHED_PERCENT = 10

type Stage = { stage: string; status: string; counts: { [what: string]: number } }

/** Derives a run's warnings from the counts of its stages. */
export function warningsOf(stages: Stage[]): string[] {
  const find = (name: string) =>
    stages.find(({ stage, status }) => stage === name && status === 'SUCCEEDED')?.counts
  return matchWarnings(find('PARSE')?.offers, find('ATTRIBUTES')?.matched)
}

/** What staff should look at although the run succeeded. @param matched offers of a product, by external id */
export function matchWarnings(offers: number | undefined, matched: number | undefined): string[] {
  if (!offers || matched === undefined || matched * 100 >= offers * MIN_MATCHED_PERCENT) return []
  return [`Only ${matched} of ${offers} offers belong to products of the shop: check the feed's ids`]
}
