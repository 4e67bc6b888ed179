import { SaxesParser } from 'saxes'

export type FeedInspection = {
  /** Reads the next piece of text. @throws Error that describes the fault */
  write(text: string): void
  /** Ends the text. @throws Error that describes the fault */
  finish(): { offers: number }
}

/**
 * Checks a feed: well-formed XML, categories before offers that refer to them, unique ids. Offer ids ascend, so that memory
 * doesn't grow with their number.
 */
export function inspectFeed(): FeedInspection {
  const parser = new SaxesParser({ xmlns: false, position: false })
  const categories = new Set<string>()
  let offers = 0
  let lastOffer = 0
  let categoryId: string | null = null

  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'category') {
      const { id = '', parentId } = attributes
      if (categories.has(id)) throw new Error(`category ${id} is listed twice`)
      if (parentId !== undefined && !categories.has(parentId)) {
        throw new Error(`category ${id} has a parent that is not listed`)
      }
      categories.add(id)
    } else if (name === 'offer') {
      const id = Number(attributes.id)
      if (!(id > lastOffer)) throw new Error(`offer ${attributes.id} does not follow offer ${lastOffer}`)
      lastOffer = id
      offers += 1
    } else if (name === 'categoryId') {
      categoryId = ''
    }
  })
  parser.on('text', (text) => {
    if (categoryId !== null) categoryId += text
  })
  parser.on('closetag', ({ name }) => {
    if (name !== 'categoryId') return
    if (categoryId === null || !categories.has(categoryId)) {
      throw new Error(`offer ${lastOffer} has category ${categoryId}, which is not listed`)
    }
    categoryId = null
  })
  return {
    write: (text) => void parser.write(text),
    finish() {
      parser.close()
      return { offers }
    },
  }
}
