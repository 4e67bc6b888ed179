import { type Static, Type } from '@sinclair/typebox'
import { ATTRIBUTE_SOURCES } from '../rules/catalogue/attributes.ts'
import { PRODUCT_OVERRIDES } from '../rules/catalogue/product-fields.ts'
import {
  type AttributeFilter,
  MAX_ATTRIBUTE_VALUE_LENGTH,
  MAX_LISTED_IDS,
  PRODUCT_GAPS,
  PRODUCT_SORT,
  readAttributeFilters,
} from '../rules/catalogue/product-filter.ts'
import { readWordList } from '../rules/lists.ts'
import * as t from './common.ts'
import { ExportQuery, ListQuery, OnlyIds, pageOf, SeveralIds } from './lists.ts'
import { ProductRating } from './reviews.ts'

export const ProductQuery = ListQuery(PRODUCT_SORT, 'best match first in a search, otherwise by id', {
  categoryId: t.Id('Category, including its subcategories'),
  categorySlug: t.FreeText(120, 'The same by its slug, former ones included', 'perforatory'),
  brandId: SeveralIds('Brand', '5,12'),
  tagId: SeveralIds('Tag', '3'),
  tagSlug: t.FreeText(120, 'Tag, by its slug', 'novinki'),
  minPrice: t.Money('Minimum finalPrice, inclusive', 500),
  maxPrice: t.Money('Maximum finalPrice, inclusive', 9999.99),
  search: t.FreeText(1000, 'Words of the name, at most ten; misspelt ones are corrected', 'перфоратор'),
  inStock: Type.Boolean({ description: 'true: available products only; false: no filter' }),
  ids: OnlyIds(`Only these products, at most ${MAX_LISTED_IDS}; none if empty`, '12,15', MAX_LISTED_IDS),
  without: t.OptionalParsed(
    100,
    `Staff only: products that lack all of: ${PRODUCT_GAPS.join(', ')}`,
    'image,price',
    (text) => readWordList(text, PRODUCT_GAPS),
  ),
  active: Type.Boolean({ description: 'Staff only; omitted: active and inactive products' }),
  after: t.Id(
    'Sorted by id: only products after this one, so that pages neither repeat nor skip any while data changes',
  ),
})

const AttributeValue = Type.String({ maxLength: MAX_ATTRIBUTE_VALUE_LENGTH })

/** `attr.<name>=<value>`, once or several times; services get them as `attributes`. */
export const ATTRIBUTE_FILTERS = {
  patternProperties: { '^attr\\.': Type.Union([AttributeValue, Type.Array(AttributeValue, { maxItems: 50 })]) },
  parseMembers: (query: object) => ({ attributes: readAttributeFilters(query) }),
}
export type WithAttributes<Query> = Query & { attributes: AttributeFilter[] }

export const ProductListQuery = Type.Unsafe<WithAttributes<Static<typeof ProductQuery>>>(
  Type.Object(ProductQuery.properties, ATTRIBUTE_FILTERS),
)
export type ProductListQuery = Static<typeof ProductListQuery>

const ExportedProducts = ExportQuery(ProductQuery)
export const ProductExportQuery = Type.Unsafe<WithAttributes<Static<typeof ExportedProducts>>>(
  Type.Object(ExportedProducts.properties, ATTRIBUTE_FILTERS),
)
export type ProductExportQuery = Static<typeof ProductExportQuery>

const CountedProducts = Type.Omit(ProductQuery, ['page', 'size', 'sort', 'active', 'without', 'after'])
export const FacetQuery = Type.Unsafe<WithAttributes<Static<typeof CountedProducts>>>(
  Type.Object(CountedProducts.properties, ATTRIBUTE_FILTERS),
)
export type FacetQuery = Static<typeof FacetQuery>

/** Longer texts can't be slugs and are answered with 404. */
export const SlugParams = Type.Object({
  slug: t.NonBlank(120, 'Slug; a former one works too, except of a tag', 'perforator-tarmeks-pe-1400-1400-vt'),
})

export const Seo = t.NamedObject('Seo', 'Title and description for search engines', {
  title: t.Text('The override, or else the template', 'Перфоратор Тармекс ПЕ-1400 — Shop'),
  description: t.Text('The override, or else the template', 'Перфоратор Тармекс, 4554.99 RUB. Shop'),
})

export const CanonicalPath = Type.String({
  description:
    'Page of the storefront for search engines: a path of `siteUrl`, or an address if `feed_product_url` is one',
  examples: ['/categories/perforatory'],
})

export const Link = t.NamedObject('Link', 'A category, a brand or a tag to link to', {
  id: t.Id('Id of the record'),
  name: t.Text('Its name', 'Перфораторы'),
  slug: t.Text('Its slug', 'perforatory'),
})
export type Link = Static<typeof Link>

const ProductImage = t.NamedObject('ProductImage', 'An image of a product', {
  id: t.Id('Id of the image'),
  url: t.Text('Path of the image', '/api/v1/images/31?v=2c26b46b68ff'),
  displayOrder: t.DisplayOrder,
  width: t.Count('Pixels, in display orientation'),
  height: t.Count('Pixels, in display orientation'),
  alt: t.Text('Name of the product', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт'),
})

const AttributeSource = t.NamedEnum(
  'AttributeSource',
  'EXTERNAL: from the supplier; MANUAL: from staff',
  ATTRIBUTE_SOURCES,
)

const ProductAttribute = t.NamedObject('ProductAttribute', 'An attribute of a product', {
  name: t.Text('Name, unique on a card', 'Мощность'),
  value: t.Text('Value', '1400 Вт'),
  source: t.ref(AttributeSource),
})

export const ProductAttributes = t.List(ProductAttribute, 'The attributes')

export const ProductOverride = t.NamedEnum('ProductOverride', 'A field that staff can override', PRODUCT_OVERRIDES)

/** Texts written by staff, the same in a product and in its input. */
export const staffTexts = {
  metaTitle: t.Nullable(t.FreeText(1000, 'Overrides the title template')),
  metaDescription: t.Nullable(t.FreeText(1000, 'Overrides the description template')),
}

export const Product = t.NamedObject('Product', 'A product in lists as the public sees it', {
  id: t.Id('Id of the product'),
  externalId: t.Nullable(t.Text("The supplier's id; null: created by staff", 'T101160')),
  name: t.Text('Name', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт'),
  slug: t.Text('Name in URLs', 'perforator-tarmeks-pe-1400-1400-vt'),
  description: t.Nullable(t.Text('Sanitised HTML', 'Три режима, патрон SDS-plus.'), t.HTML),
  price: t.Nullable(t.Money('As finalPrice')),
  finalPrice: t.Nullable(t.Money('What the customer pays; null or 0: no price, not for sale')),
  oldPrice: t.Nullable(t.Money('A higher price that is crossed out; null: none')),
  stock: t.Count("The supplier's stock, before reservations"),
  available: Type.Boolean({ description: 'Active, priced above zero, and in stock after reservations' }),
  active: Type.Boolean({ description: 'Whether the public sees it' }),
  category: t.Nullable(t.ref(Link), { description: 'Null: none, or hidden from the caller' }),
  brand: t.Nullable(t.ref(Link), { description: 'Null: none' }),
  images: t.List(ProductImage, 'Images in display order, the main one first'),
  ...staffTexts,
  seo: t.ref(Seo),
  tags: t.List(Link, 'Tags; for the public the enabled ones'),
  rating: t.Nullable(t.ref(ProductRating), { description: 'Null: no active review' }),
  createdAt: t.Timestamp('Time of creation'),
  updatedAt: t.Timestamp('Time of the last change'),
})
export type Product = Static<typeof Product>

export const StaffProduct = t.NamedObject('StaffProduct', 'A product in lists as staff see it', {
  ...Product.properties,
  price: t.Nullable(t.Money("The supplier's price")),
  sitePrice: t.Nullable(t.Money("Staff's override of the price")),
  availableQuantity: t.Count('What reservations leave of the stock', 113),
  version: t.Count('Incremented by each change of staff; send it as If-Match to avoid lost updates'),
  activeOverride: t.Nullable(Type.Boolean({ description: "Staff's decision; null: the supplier decides" })),
  overrides: t.List(ProductOverride, 'The fields that staff override'),
})
export type StaffProduct = Static<typeof StaffProduct>

const cardProperties = {
  attributes: t.List(ProductAttribute, "The supplier's and staff's attributes, merged"),
  breadcrumbs: t.List(Link, 'From the root to the category'),
  canonicalPath: { ...CanonicalPath, examples: ['/products/perforator-tarmeks-pe-1400-1400-vt'] },
}

export const ProductCard = t.NamedObject('ProductCard', 'A product with everything on its page, for the public', {
  ...Product.properties,
  ...cardProperties,
})
export type ProductCard = Static<typeof ProductCard>

const SupplierValues = t.NamedObject(
  'SupplierValues',
  'What the supplier says of the fields in `overrides`, and of no others',
  {
    name: Type.Optional(
      t.Text('Name; absent until the supplier lists a product that staff created', 'Перфоратор ПЕ-1400'),
    ),
    description: Type.Optional(t.Nullable(t.Text('Sanitised HTML', 'Три режима.'), t.HTML)),
    category: Type.Optional(t.Nullable(t.ref(Link), { description: 'Null: none that the shop has' })),
    brand: Type.Optional(t.Nullable(t.ref(Link), { description: 'Null: none that the shop has' })),
  },
)
export type SupplierValues = Static<typeof SupplierValues>

export const StaffProductCard = t.NamedObject('StaffProductCard', 'A product with everything on its page, for staff', {
  ...StaffProduct.properties,
  ...cardProperties,
  supplier: t.ref(SupplierValues),
})
export type StaffProductCard = Static<typeof StaffProductCard>

const { content, ...pageNumbers } = pageOf(Product)
const rest = {
  ...pageNumbers,
  correctedSearch: t.Nullable(
    t.Text('The search that was used instead, if the given one finds nothing; otherwise null'),
  ),
}
export const ProductPage = t.NamedObject('ProductPage', 'A page of products for the public', { content, ...rest })
export type ProductPage = Static<typeof ProductPage>

export const StaffProductPage = t.NamedObject('StaffProductPage', 'A page of products for staff', {
  content: pageOf(StaffProduct).content,
  ...rest,
})
/** A page without its products, which are written one by one. */
export const ProductPageRest = Type.Object(rest)
