/** Below this share of matched offers the feed is probably another shop's, or its ids have changed. */
const MIN_MATCHED_PERCENT = 10

type Stage = { stage: string; status: string; counts: { [what: string]: number } }

/** What staff should look at although a run succeeded, by the counts of its stages. */
export function warningsOf(stages: Stage[]): string[] {
  const countsOf = (name: string) =>
    stages.find(({ stage, status }) => stage === name && status === 'SUCCEEDED')?.counts
  const offers = countsOf('PARSE')?.offers
  const matched = countsOf('ATTRIBUTES')?.matched
  if (!offers || matched === undefined || matched * 100 >= offers * MIN_MATCHED_PERCENT) return []
  return [`Only ${matched} of ${offers} offers belong to products of the shop: check the feed's ids`]
}
