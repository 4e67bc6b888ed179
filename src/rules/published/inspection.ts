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

/** Checks that a feed is well-formed, and its elements by handlers that throw what is wrong. */
export function inspectXml({ open, close }: Handlers, countOffers: () => number): FeedInspection {
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
      return { offers: countOffers() }
    },
  }
}

/** Counts offers, whose ids must ascend: so memory doesn't grow with their number. */
export function createOfferCounter(): { add(id: string | undefined): void; last(): number; count(): number } {
  let count = 0
  let last = 0
  return {
    add(id) {
      if (!(Number(id) > last)) throw new Error(`offer ${id} does not follow offer ${last}`)
      last = Number(id)
      count += 1
    },
    last: () => last,
    count: () => count,
  }
}
