/** The image URLs of a page's JSON-LD. */
export type StructuredData = { images: string[]; logos: string[] }

type Node = { [key: string]: unknown }

const PRODUCT = /(?:^|[/#:])(?:\w*Product|ProductModel|ProductGroup|SomeProducts|Vehicle|Car|Book)$/

/**
 * Reads the JSON-LD scripts of a page, ignoring invalid JSON. Of several products it takes the one with the page's URL,
 * or else the first.
 */
export function readStructuredData(
  scripts: string[],
  isThisPage: (address: string) => boolean,
): StructuredData {
  const nodes = scripts.flatMap((script) => nodesOf(parse(script)))
  const byId = new Map(nodes.filter((node) => '@id' in node).map((node) => [node['@id'], node]))
  const products = nodes.filter(isProduct)
  const namesThisPage = ({ url, '@id': id }: Node) =>
    [url, id].some((address) => typeof address === 'string' && isThisPage(address))
  const own = products.find(namesThisPage) ?? products[0]
  const variants = own ? [own, ...nodesOf(own.hasVariant)] : []
  return {
    images: variants.flatMap(({ image }) => addressesOf(image, byId)),
    logos: nodes.flatMap(({ logo }) => addressesOf(logo, byId)),
  }
}

function parse(script: string): unknown {
  try {
    return JSON.parse(script)
  } catch {
    return undefined
  }
}

/** Nodes in page order. Other properties than these, such as accessories, lead to other products. */
function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  return isNode(value) ? [value, ...nodesOf(value['@graph']), ...nodesOf(value.mainEntity)] : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

function isProduct(node: Node): boolean {
  return [node['@type']].flat().some((type) => typeof type === 'string' && PRODUCT.test(type))
}

/** Reads a URL, an ImageObject, a reference to one by `@id`, or a list of these. */
function addressesOf(value: unknown, byId: ReadonlyMap<unknown, Node>): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => addressesOf(one, byId))
  if (!isNode(value)) return typeof value === 'string' ? [value] : []
  const { contentUrl, url } = { ...byId.get(value['@id']), ...value }
  return [contentUrl ?? url].filter((address) => typeof address === 'string')
}
