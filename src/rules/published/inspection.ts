import { SaxesParser } from 'saxes'

export type FeedInspection = {
  /** Reads the next piece of text. @throws Error that describes the fault */
  write(text: string): void
  /** Ends the text. @throws Error that describes the fault */
  finish(): { offers: number }
}

type Handlers = {
  open?(name: string, attributes: Record<string, string>): void
  /** @param text since the last tag */
  close(name: string, text: string): void
}

/** Offers that were found; their ids must ascend, so that memory doesn't grow with their number. */
type FoundOffers = { add(id: string | undefined): void; last: number; count: number }

/** Checks that a feed is well-formed, and its elements by handlers that throw what is wrong. */
export function inspectXml(createHandlers: (offers: FoundOffers) => Handlers): FeedInspection {
  const offers: FoundOffers = {
    last: 0,
    count: 0,
    add(id) {
      if (!(Number(id) > offers.last)) throw new Error(`offer ${id} does not follow offer ${offers.last}`)
      offers.last = Number(id)
      offers.count += 1
    },
  }
  const { open, close } = createHandlers(offers)
  const parser = new SaxesParser({ xmlns: false, position: false })
  let text = ''
  parser.on('opentag', ({ name, attributes }) => {
    text = ''
    open?.(name, attributes)
  })
  parser.on('text', (piece) => {
    text += piece
  })
  parser.on('closetag', ({ name }) => {
    close(name, text)
    text = ''
  })
  return {
    write: (piece) => void parser.write(piece),
    finish() {
      parser.close()
      return { offers: offers.count }
    },
  }
}
