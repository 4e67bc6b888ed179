import { electronics } from './assortment/electronics.ts'
import { household } from './assortment/household.ts'
import { office } from './assortment/office.ts'
import type { Kind, Section } from './assortment/section.ts'
import { tools } from './assortment/tools.ts'
import { Catalogue, type DemoAttribute, type DemoProduct } from './catalogue.ts'
import { describeProduct } from './descriptions.ts'
import { Random } from './random.ts'

interface Spec {
  readonly name: string
  readonly range?: {
    readonly min: number
    readonly steps: number
    readonly step: number
    readonly digits: number
  }
  readonly unit: string
  readonly choices: readonly string[]
}

interface Shelf {
  readonly categoryId: string
  readonly kind: Kind
  readonly initials: string
  readonly specs: readonly Spec[]
  readonly common: readonly Spec[]
  readonly brands: readonly { readonly id: string; readonly name: string }[]
}

const SECTIONS: readonly Section[] = [tools, household, electronics, office]
const DAY_MS = 86_400_000
const FIRST_UPDATE = Date.UTC(2026, 0, 12, 6)
const UPDATE_DAYS = 200
const SUFFIXES = ['', '', '', '', 'М', ' Плюс', ' Про', ' Лайт', '-2']
const RANGE = /^(.+): ([\d.]+)–([\d.]+)\/([\d.]+)(?: (.+))?$/

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
  const common = section.common.map(parseSpec)
  return section.groups.flatMap((group, groupIndex) => {
    const groupId = String(number * 1000 + (groupIndex + 1) * 100)
    catalogue.categories.put({ id: groupId, name: group.name, parentId: sectionId, updatedAt })
    return group.kinds.map((kind, index) => {
      const categoryId = String(number * 1000 + (groupIndex + 1) * 100 + index + 1)
      catalogue.categories.put({ id: categoryId, name: kind.name, parentId: groupId, updatedAt })
      return {
        categoryId,
        kind,
        initials: initialsOf(kind.noun),
        specs: kind.specs.map(parseSpec),
        common,
        brands,
      }
    })
  })
}

function productOf(shelf: Shelf, number: number, random: Random): DemoProduct {
  const brand = random.pick(shelf.brands)
  const main = shelf.specs.find((spec) => spec.range !== undefined)
  const attributes = shelf.specs.map((spec) => attributeOf(spec, random))
  for (const spec of shelf.common) {
    if (random.chance(0.6)) attributes.push(attributeOf(spec, random))
  }
  const mainValue = attributes.find((attribute) => attribute.name === main?.name)?.value ?? ''
  const figure = mainValue.replace(/ .*$/, '').replace(',', '')
  const model = `${shelf.initials}-${figure}${random.pick(SUFFIXES)}`
  const name = `${shelf.kind.noun} ${brand.name} ${model}, ${mainValue}`
  return {
    id: `T${100_000 + number}`,
    name,
    description: describeProduct(name, attributes, random),
    price: priceOf(shelf.kind.price, random),
    stock: random.chance(0.18) ? 0 : Math.ceil(random.next() ** 3 * 250),
    categoryId: shelf.categoryId,
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

function priceOf([min, max]: readonly [number, number], random: Random): number {
  // Cheap products are more common than expensive ones.
  const roubles = Math.floor(min + (max - min) * random.next() ** 2)
  const kopecks = random.pick([0, 0, 50, 90, 99, random.int(1, 99)])
  return (roubles * 100 + kopecks) / 100
}

function attributeOf(spec: Spec, random: Random): DemoAttribute {
  const { range } = spec
  if (range === undefined) return { name: spec.name, value: random.pick(spec.choices) }
  const figure = (range.min + random.int(0, range.steps) * range.step).toFixed(range.digits).replace('.', ',')
  return { name: spec.name, value: spec.unit === '' ? figure : `${figure} ${spec.unit}` }
}

function parseSpec(line: string): Spec {
  const parts = RANGE.exec(line)
  if (parts === null) {
    const [name = '', choices = ''] = line.split(': ')
    return { name, unit: '', choices: choices.split(' | ') }
  }
  const [, name = '', min = '', max = '', step = '', unit = ''] = parts
  const digits = Math.max(step.split('.')[1]?.length ?? 0, min.split('.')[1]?.length ?? 0)
  const steps = Math.floor((Number(max) - Number(min)) / Number(step) + 1e-9)
  return { name, unit, choices: [], range: { min: Number(min), steps, step: Number(step), digits } }
}

/** «Дрель ударная» → «ДУ»; a single word gives its first two letters. */
function initialsOf(noun: string): string {
  const words = noun.split(/[ -]/).filter((word) => word.length > 2)
  return (words.length > 1 ? words.map((word) => word.slice(0, 1)).join('') : noun.slice(0, 2)).toUpperCase()
}
