import { type Static, Type } from '@sinclair/typebox'
import { ATTRIBUTE_SOURCES } from '../rules/catalogue/attributes.ts'
import { PRODUCT_GAPS, PRODUCT_OVERRIDES } from '../rules/catalogue/product-fields.ts'
import { PRODUCT_SORT } from '../rules/catalogue/product-filter.ts'
import {
  Count,
  DisplayOrder,
  FreeText,
  Id,
  List,
  Money,
  NamedEnum,
  NamedObject,
  Nullable,
  ref,
  Text,
  Timestamp,
  Word,
} from './common.ts'
import { CsvQuery, ListQuery, Page } from './lists.ts'
import { ProductRating } from './reviews.ts'

export const ProductQuery = ListQuery(PRODUCT_SORT, 'the best matches first in a search, otherwise id,', {
  categoryId: Type.Optional(Id('Category, including its subcategories')),
  brandId: Type.Optional(FreeText(1100, 'Brand, or several separated by commas', '5,12')),
  tagId: Type.Optional(Id('Tag')),
  minPrice: Type.Optional(Money('Minimum finalPrice, inclusive', 500)),
  maxPrice: Type.Optional(Money('Maximum finalPrice, inclusive', 9999.99)),
  search: Type.Optional(
    FreeText(1000, 'Words of the name; the first ten count, misspelt ones are corrected', 'перфоратор'),
  ),
  inStock: Type.Optional(Type.Boolean({ description: 'true: available products only; false: no filter' })),
  ids: Type.Optional(
    FreeText(1100, 'Only these products, at most 100, separated by commas; none if empty', '12,15'),
  ),
  without: Type.Optional(
    FreeText(
      100,
      `Staff only: products that lack all of these, separated by commas: ${PRODUCT_GAPS.join(', ')}`,
      'image,price',
    ),
  ),
  active: Type.Optional(Type.Boolean({ description: 'Staff only; omitted: active and inactive products' })),
})
export type ProductQuery = Static<typeof ProductQuery>

const AttributeValue = Type.String({ maxLength: 500 })

export const ProductListQuery = Type.Object(ProductQuery.properties, {
  patternProperties: {
    '^attr\\.': Type.Union([AttributeValue, Type.Array(AttributeValue, { maxItems: 50 })]),
  },
})

export const ProductExportQuery = Type.Object(
  { ...Type.Omit(ProductQuery, ['page', 'size']).properties, ...CsvQuery.properties },
  { patternProperties: ProductListQuery.patternProperties },
)
export type ProductExportQuery = Static<typeof ProductExportQuery>

export const FacetQuery = Type.Object(
  Type.Omit(ProductQuery, ['page', 'size', 'sort', 'active', 'without']).properties,
  {
    patternProperties: ProductListQuery.patternProperties,
  },
)

/** Longer texts can't be slugs and are answered with 404. */
export const SlugParams = Type.Object({
  slug: Word(120, 'Present or former slug', 'perforator-tarmeks-pe-1400-1400-vt'),
})

export const Seo = NamedObject('Seo', 'Title and description for search engines', {
  title: Text('The override, or else the template', 'Перфоратор Тармекс ПЕ-1400 — Shop'),
  description: Text('The override, or else the template', 'Перфоратор Тармекс, 4554.99 RUB. Shop'),
})

export const Link = NamedObject('Link', 'A category, a brand or a tag to link to', {
  id: Id('Id of the record'),
  name: Text('Its name', 'Перфораторы'),
  slug: Text('Its slug', 'perforatory'),
})

export const ProductImage = NamedObject('ProductImage', 'An image of a product', {
  id: Id('Id of the image'),
  url: Text('Path of the image', '/api/v1/images/31'),
  displayOrder: DisplayOrder,
  width: Count('Pixels, in display orientation'),
  height: Count('Pixels, in display orientation'),
  alt: Text('Name of the product', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт'),
})

export const AttributeSource = NamedEnum(
  'AttributeSource',
  'Origin of the value: EXTERNAL, the supplier; MANUAL, staff',
  ATTRIBUTE_SOURCES,
)

export const ProductAttribute = NamedObject('ProductAttribute', 'An attribute of a product', {
  name: Text('Name, unique on a card', 'Мощность'),
  value: Text('Value', '1400 Вт'),
  source: ref(AttributeSource),
})
export type ProductAttribute = Static<typeof ProductAttribute>

export const ProductOverride = NamedEnum(
  'ProductOverride',
  "A field of a supplier's product that staff can override",
  PRODUCT_OVERRIDES,
)

/** Absent for the public. */
const staffProperties = {
  version: Type.Optional(
    Count('For staff: incremented by each change by staff; send it as If-Match to avoid lost updates'),
  ),
  activeOverride: Type.Optional(
    Nullable(Type.Boolean({ description: "For staff: staff's decision; null: the supplier decides" })),
  ),
  overrides: Type.Optional(List(ProductOverride, 'For staff: the fields that staff override')),
  supplierName: Type.Optional(Nullable(Text("For staff: the supplier's name, if overridden"))),
}

/** Texts that only staff write, the same in a product and in an edit of it. */
export const staffTexts = {
  metaTitle: Nullable(FreeText(1000, 'Overrides the title template')),
  metaDescription: Nullable(FreeText(1000, 'Overrides the description template')),
}

const productProperties = {
  id: Id('Id of the product'),
  externalId: Nullable(Text("The supplier's id; null: created by staff", 'T101160')),
  name: Text('Name', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт'),
  slug: Text('Name in URLs', 'perforator-tarmeks-pe-1400-1400-vt'),
  description: Nullable(Text('Sanitised HTML, or plain text without `<`', 'Три режима, патрон SDS-plus.')),
  price: Nullable(Money("The supplier's price")),
  sitePrice: Nullable(Money("Staff's override of the price")),
  finalPrice: Nullable(Money('What the customer pays; null: no price')),
  stock: Count("The supplier's stock, before reservations"),
  available: Type.Boolean({ description: 'Active, priced above zero, and in stock after reservations' }),
  active: Type.Boolean({ description: 'Whether the public sees it' }),
  category: Nullable(ref(Link), { description: 'Null: none, or hidden from the caller' }),
  brand: Nullable(ref(Link), { description: 'Null: none' }),
  images: List(ProductImage, 'Images in display order, the main one first'),
  ...staffTexts,
  seo: ref(Seo),
  tags: List(Link, 'Tags; for the public the enabled ones'),
  rating: Nullable(ref(ProductRating), { description: 'Null: no active review' }),
  createdAt: Timestamp('Time of creation'),
  updatedAt: Timestamp('Time of the last change'),
  ...staffProperties,
}

/** Contract section 4, "Product JSON". */
export const Product = NamedObject('Product', 'A product in lists', productProperties)
export type Product = Static<typeof Product>

export const ProductCard = NamedObject('ProductCard', 'A product with everything on its page', {
  ...productProperties,
  attributes: List(ProductAttribute, "The supplier's and staff's attributes, merged"),
  breadcrumbs: List(Link, 'From the root to the category'),
  supplierDescription: Type.Optional(Nullable(Text("For staff: the supplier's description, if overridden"))),
})
export type ProductCard = Static<typeof ProductCard>

const AnyPage = Page(Product)
export const ProductPage = NamedObject('ProductPage', 'A page of products', {
  ...AnyPage.properties,
  correctedSearch: Nullable(
    Text('The search that was used instead, if the given one finds nothing; else null'),
  ),
})
export type ProductPage = Omit<Static<typeof ProductPage>, 'content'> & { content: Product[] }
