/** The image URLs of a page's JSON-LD. */
export type StructuredData = { images: string[]; logos: string[] }

type Node = { [key: string]: unknown }
type Ids = ReadonlyMap<unknown, Node>

const NO_IDS: Ids = new Map()
const MAX_NODES = 20_000
const MAX_STEPS = 500
const MAX_DEPTH = 5
const PRODUCT =
  /(?:^|[/#:])(?:Product|ProductModel|IndividualProduct|SomeProducts|ProductGroup|Vehicle|Car|Book)$/
/** Properties that lead to the page's own product; others, such as accessories, lead to other products. */
const OWN = ['@graph', 'mainEntity', 'mainEntityOfPage', 'itemOffered']
const COMPANIES = ['brand', 'manufacturer', 'publisher', 'seller', 'author']

/**
 * Reads the JSON-LD scripts of a page, ignoring invalid JSON. Of several products it takes the one with the page's URL,
 * or else the first.
 */
export function readStructuredData(
  scripts: string[],
  isThisPage: (address: string) => boolean,
): StructuredData {
  const nodes = ownNodes(scripts.map(parse))
  const ids = new Map(nodes.map((node) => [node['@id'], node]))
  const products = nodes.filter(isProduct)
  const untyped = nodes.filter((node) => node['@type'] === undefined && node.image !== undefined)
  const [first, ...others] = products.length > 0 ? products : untyped
  const namesThisPage = ({ url, '@id': id }: Node) =>
    [url, id].some((address) => typeof address === 'string' && isThisPage(address))
  const own = first && (namesThisPage(first) ? first : (others.find(namesThisPage) ?? first))
  return {
    images: own ? [own, ...toNodes(own.hasVariant)].flatMap(({ image }) => addressesOf(image, ids)) : [],
    logos: nodes.flatMap((node) => {
      const companies = COMPANIES.flatMap((name) => toNodes(node[name]))
      return [node, ...companies].flatMap(({ logo }) => addressesOf(logo, ids))
    }),
  }
}

function parse(script: string): unknown {
  try {
    return JSON.parse(script.replace(/^\s*<!--/, '').replace(/-->\s*$/, ''))
  } catch {
    return undefined
  }
}

/** Flattens nested nodes in page order. */
function ownNodes(roots: unknown[]): Node[] {
  const nodes: Node[] = []
  const open = roots.toReversed()
  for (let steps = 0; open.length > 0 && steps < MAX_NODES; steps++) {
    const value = open.pop()
    if (Array.isArray(value)) open.push(...value.slice(0, MAX_NODES).reverse())
    else if (isNode(value)) {
      nodes.push(value)
      open.push(...OWN.map((name) => value[name]).reverse())
    }
  }
  return nodes
}

function isProduct(node: Node): boolean {
  return [node['@type']].flat().some((type) => typeof type === 'string' && PRODUCT.test(type))
}

function toNodes(value: unknown): Node[] {
  return [value].flat().slice(0, MAX_STEPS).filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a URL, an ImageObject, a reference to one by `@id`, or a list of these. */
function addressesOf(value: unknown, ids: Ids): string[] {
  const found: Found = { addresses: [], steps: 0 }
  collect(value, ids, 0, found)
  return found.addresses
}

type Found = { addresses: string[]; steps: number }

/** Limited in depth and steps, since nodes may refer to each other. */
function collect(value: unknown, ids: Ids, depth: number, found: Found): void {
  if (depth > MAX_DEPTH || found.steps++ > MAX_STEPS) return
  if (typeof value === 'string') found.addresses.push(value)
  else if (Array.isArray(value)) {
    for (const item of value.slice(0, MAX_STEPS)) collect(item, ids, depth + 1, found)
  } else if (isNode(value)) {
    const { contentUrl, url, '@list': list, '@id': id } = value
    const inline = [contentUrl, url, list].find((it) => it !== undefined)
    collect(inline ?? ids.get(id), inline === undefined ? NO_IDS : ids, depth + 1, found)
  }
}
