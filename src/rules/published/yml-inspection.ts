import { createOfferCounter, type FeedInspection, inspectXml } from './inspection.ts'

/** Checks a YML feed: well-formed, categories before offers that refer to them, unique ids. */
export function inspectYml(): FeedInspection {
  const categories = new Set<string>()
  const offers = createOfferCounter()
  return inspectXml(
    {
      open(name, { id = '', parentId }) {
        if (name === 'offer') return offers.add(id)
        if (name !== 'category') return
        if (categories.has(id)) throw new Error(`category ${id} is listed twice`)
        if (parentId !== undefined && !categories.has(parentId)) {
          throw new Error(`category ${id} has a parent that is not listed`)
        }
        categories.add(id)
      },
      close(name, text) {
        if (name !== 'categoryId' || categories.has(text)) return
        throw new Error(`offer ${offers.last()} has category ${text}, which is not listed`)
      },
    },
    offers.count,
  )
}
