import assortment from './assortment.json' with { type: 'json' }
import { Catalogue, type DemoAttribute, type DemoProduct } from './catalogue.ts'
import { describeProduct } from './descriptions.ts'
import { Random } from './random.ts'

/** An attribute of a kind of product: one of the choices, or a figure from `min` to `max` in steps. */
type Spec =
  | { readonly name: string; readonly choices: readonly string[] }
  | {
      readonly name: string
      readonly min: number
      readonly max: number
      readonly step: number
      readonly unit?: string | undefined
    }

/** A category of products; its first figure gives the model number and is part of the name. */
interface Kind {
  readonly name: string
  readonly noun: string
  /** In roubles. */
  readonly minPrice: number
  readonly maxPrice: number
  readonly specs: readonly Spec[]
}

interface Section {
  readonly name: string
  readonly brands: readonly string[]
  /** Attributes that any product of the section may have. */
  readonly common: readonly Spec[]
  readonly groups: readonly { readonly name: string; readonly kinds: readonly Kind[] }[]
}

interface Shelf {
  readonly categoryId: string
  readonly kind: Kind
  readonly common: readonly Spec[]
  readonly brands: readonly { readonly id: string; readonly name: string }[]
}

const SECTIONS: readonly Section[] = assortment
const DAY_MS = 86_400_000
const FIRST_UPDATE = Date.UTC(2026, 0, 12, 6)
const UPDATE_DAYS = 200
const SUFFIXES = ['', '', '', '', 'М', ' Плюс', ' Про', ' Лайт', '-2']

/**
 * Generates a plausible catalogue in Russian: 79 categories on three levels, 40 invented brands, and the oddities that
 * real suppliers send. The same options always give the same catalogue, including `updatedAt`.
 */
export function generateCatalogue({ products = 2000, seed = 1 } = {}): Catalogue {
  const random = new Random(seed)
  const catalogue = new Catalogue()
  const shelves = SECTIONS.flatMap((section, index) => shelvesOf(catalogue, section, index + 1))
  for (let number = 1; number <= products; number += 1) {
    catalogue.products.put(withQuirks(productOf(random.pick(shelves), number, random), number))
  }
  return catalogue
}

function shelvesOf(catalogue: Catalogue, section: Section, number: number): Shelf[] {
  const updatedAt = FIRST_UPDATE
  const sectionId = String(number * 1000)
  catalogue.categories.put({ id: sectionId, name: section.name, parentId: null, updatedAt })
  const brands = section.brands.map((name, index) => ({ id: `B${number * 100 + index + 1}`, name }))
  for (const brand of brands) catalogue.brands.put({ ...brand, updatedAt })
  return section.groups.flatMap((group, groupIndex) => {
    const groupId = String(number * 1000 + (groupIndex + 1) * 100)
    catalogue.categories.put({ id: groupId, name: group.name, parentId: sectionId, updatedAt })
    return group.kinds.map((kind, index) => {
      const categoryId = String(number * 1000 + (groupIndex + 1) * 100 + index + 1)
      catalogue.categories.put({ id: categoryId, name: kind.name, parentId: groupId, updatedAt })
      return { categoryId, kind, common: section.common, brands }
    })
  })
}

function productOf({ categoryId, kind, common, brands }: Shelf, number: number, random: Random): DemoProduct {
  const brand = random.pick(brands)
  const main = kind.specs.find((spec) => 'step' in spec)
  const attributes = kind.specs.map((spec) => attributeOf(spec, random))
  for (const spec of common) {
    if (random.chance(0.6)) attributes.push(attributeOf(spec, random))
  }
  const mainValue = attributes.find((attribute) => attribute.name === main?.name)?.value ?? ''
  const figure = mainValue.replace(/ .*$/, '').replace(',', '')
  const model = `${initialsOf(kind.noun)}-${figure}${random.pick(SUFFIXES)}`
  const name = `${kind.noun} ${brand.name} ${model}, ${mainValue}`
  return {
    id: `T${100_000 + number}`,
    name,
    description: describeProduct(name, attributes, random),
    price: priceOf(kind, random),
    stock: random.chance(0.18) ? 0 : Math.ceil(random.next() ** 3 * 250),
    categoryId,
    brandId: brand.id,
    active: !random.chance(0.015),
    attributes,
    pageUrl: null,
    imageUrls: [],
    imageCount: random.chance(0.04) ? 0 : random.int(1, 5),
    updatedAt: FIRST_UPDATE + Math.floor(random.next() * UPDATE_DAYS * DAY_MS),
  }
}

/** Adds oddities to fixed numbers, so that every catalogue of 100 products or more has each of them. */
function withQuirks(product: DemoProduct, number: number): DemoProduct {
  switch (number % 400) {
    case 11:
      return { ...product, name: `  ${product.name} ` }
    case 23:
      return { ...product, name: `${product.name} <новинка> "2 & 3" в 1, для дома 'и' дачи` }
    case 37:
      return { ...product, price: null }
    case 41:
      return { ...product, price: 0 }
    case 53:
      return { ...product, categoryId: null }
    case 59:
      return { ...product, brandId: null }
    case 67:
      return { ...product, active: false }
    case 71:
      return { ...product, stock: null }
    case 83:
      return { ...product, attributes: [] }
    case 89:
      return { ...product, name: product.name.replace(/ (\S+)$/, '\u00a0$1').toUpperCase() }
    case 97:
      return { ...product, price: product.price === null ? null : product.price + 0.005 }
    default:
      return product
  }
}

function priceOf({ minPrice, maxPrice }: Kind, random: Random): number {
  // Cheap products are more common than expensive ones.
  const roubles = Math.floor(minPrice + (maxPrice - minPrice) * random.next() ** 2)
  const kopecks = random.pick([0, 0, 50, 90, 99, random.int(1, 99)])
  return (roubles * 100 + kopecks) / 100
}

function attributeOf(spec: Spec, random: Random): DemoAttribute {
  if ('choices' in spec) return { name: spec.name, value: random.pick(spec.choices) }
  const { name, min, max, step, unit } = spec
  const steps = Math.floor((max - min) / step + 1e-9)
  const digits = Math.max(decimalsOf(step), decimalsOf(min))
  const figure = (min + random.int(0, steps) * step).toFixed(digits).replace('.', ',')
  return { name, value: unit === undefined ? figure : `${figure} ${unit}` }
}

function decimalsOf(figure: number): number {
  return String(figure).split('.')[1]?.length ?? 0
}

/** «Дрель ударная» → «ДУ»; a single word gives its first two letters. */
function initialsOf(noun: string): string {
  const words = noun.split(/[ -]/).filter((word) => word.length > 2)
  return (words.length > 1 ? words.map((word) => word.slice(0, 1)).join('') : noun.slice(0, 2)).toUpperCase()
}
