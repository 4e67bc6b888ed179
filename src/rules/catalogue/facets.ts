/** What staff decided about an attribute; null: by default. */
export type AttributeSettings = { filterable: boolean | null; position: number | null; unit: string | null }

const MIN_VALUES = 2
const MAX_VALUES = 100

/**
 * Whether an attribute is a facet (contract section 4).
 * @param values how many different values active products have
 */
export function isFilterable(settings: AttributeSettings | undefined, values: number): boolean {
  return settings?.filterable ?? (values >= MIN_VALUES && values <= MAX_VALUES)
}

type Ordered = { name: string; products: number; position: number | null }

/** Compares attributes as facets show them: by position, then by products; those without a position last. */
export function compareAttributes(a: Ordered, b: Ordered): number {
  if (a.position !== b.position) {
    return (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY)
  }
  return b.products - a.products || (a.name < b.name ? -1 : 1)
}
