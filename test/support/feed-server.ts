import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { cut, listen } from './loopback.ts'

export type FeedServer = {
  url: string
  /** Sets the response: a document, or a handler that simulates a fault. */
  serve(answer: string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void)): void
  /** The requests so far. */
  readonly requests: IncomingMessage[]
  close(): Promise<void>
}

/** A server for the supplier's feed. */
export async function startFeedServer(): Promise<FeedServer> {
  let answer: Parameters<FeedServer['serve']>[0] = ''
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    if (typeof answer === 'function') answer(request, response)
    else response.setHeader('content-type', 'application/xml').end(answer)
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/feed.xml`,
    requests,
    serve(next) {
      answer = next
    },
    close: () => cut(server),
  }
}

export type OfferInput = {
  id: string
  name?: string
  price?: string
  categoryId?: string
  url?: string
  pictures?: string[]
  params?: { [name: string]: string }
  xml?: string
}

const offerXml = ({ id, name = `Offer ${id}`, price = '10', ...rest }: OfferInput): string =>
  [
    `<offer id="${id}" available="true">`,
    rest.url === undefined ? '' : `<url>${rest.url}</url>`,
    `<price>${price}</price>`,
    rest.categoryId === undefined ? '' : `<categoryId>${rest.categoryId}</categoryId>`,
    ...(rest.pictures ?? []).map((picture) => `<picture>${picture}</picture>`),
    `<name>${name}</name>`,
    ...Object.entries(rest.params ?? {}).map(([key, value]) => `<param name="${key}">${value}</param>`),
    rest.xml ?? '',
    '</offer>',
  ].join('')

type CategoryInput = { id: string; name: string; parentId?: string }

/** Formats categories and offers as a YML document. */
export function feedXml({
  categories = [],
  offers = [],
}: {
  categories?: CategoryInput[]
  offers?: OfferInput[]
}): string {
  const listed = categories.map(({ id, name, parentId }) => {
    const parent = parentId === undefined ? '' : ` parentId="${parentId}"`
    return `<category id="${id}"${parent}>${name}</category>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE yml_catalog SYSTEM "shops.dtd">\n',
    '<yml_catalog date="2026-11-23 10:00"><shop><name>Feed</name><categories>',
    ...listed,
    '</categories><offers>',
    ...offers.map(offerXml),
    '</offers></shop></yml_catalog>\n',
  ].join('')
}
