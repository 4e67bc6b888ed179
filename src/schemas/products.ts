import { type Static, Type } from '@sinclair/typebox'
import { PRODUCT_SORT } from '../../db/tables/products.ts'
import { ATTRIBUTE_SOURCES } from '../rules/catalogue/attributes.ts'
import { PRODUCT_GAPS, PRODUCT_OVERRIDES } from '../rules/catalogue/product-fields.ts'
import {
  Count,
  DisplayOrder,
  described,
  Enum,
  Id,
  Money,
  Nullable,
  Page,
  PageQuery,
  ref,
  SortQuery,
  Timestamp,
} from './common.ts'
import { CsvQuery } from './exports.ts'
import { ProductRating } from './reviews.ts'

export const ProductQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(PRODUCT_SORT, 'the best matches first in a search, otherwise id,'),
  categoryId: Type.Optional(described(Id, 'Category, including its subcategories')),
  brandId: Type.Optional(
    Type.String({
      maxLength: 1100,
      pattern: '^[0-9, ]+$',
      description: 'Brand, or several separated by commas',
      examples: ['5,12'],
    }),
  ),
  tagId: Type.Optional(described(Id, 'Tag')),
  minPrice: Type.Optional({ ...described(Money, 'Minimum finalPrice, inclusive'), examples: [500] }),
  maxPrice: Type.Optional({ ...described(Money, 'Maximum finalPrice, inclusive'), examples: [9999.99] }),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Words of the name; the first ten count, misspelt ones are corrected',
      examples: ['перфоратор'],
    }),
  ),
  inStock: Type.Optional(
    Type.Boolean({ description: 'true: available products only; false: no filter', examples: [true] }),
  ),
  ids: Type.Optional(
    Type.String({
      maxLength: 1100,
      pattern: '^[0-9, ]+$',
      description: 'Only these products, at most 100, separated by commas',
      examples: ['12,15'],
    }),
  ),
  without: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Staff only: products that lack all of these, separated by commas: ${PRODUCT_GAPS.join(', ')}`,
      examples: ['image,price'],
    }),
  ),
  active: Type.Optional(
    Type.Boolean({ description: 'Staff only; omitted: active and inactive products', examples: [true] }),
  ),
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
  slug: Type.String({
    minLength: 1,
    maxLength: 120,
    description: 'Present or former slug',
    examples: ['perforator-tarmeks-pe-1400-1400-vt'],
  }),
})

export const Seo = Type.Object(
  {
    title: Type.String({ description: 'The override, or else the template' }),
    description: Type.String({ description: 'The override, or else the template' }),
  },
  {
    $id: 'Seo',
    description: 'Title and description for search engines',
    examples: [
      { title: 'Перфоратор Тармекс ПЕ-1400 — Shop', description: 'Перфоратор Тармекс, 4554.99 RUB. Shop' },
    ],
  },
)

const named = { id: described(Id, 'Id of the record'), name: Type.String({ description: 'Its name' }) }

export const Link = Type.Object(
  { ...named, slug: Type.String({ description: 'Its slug' }) },
  {
    $id: 'Link',
    description: 'A category or a tag to link to',
    examples: [{ id: 5, name: 'Перфораторы', slug: 'perforatory' }],
  },
)

export const BrandName = Type.Object(named, {
  $id: 'BrandName',
  description: 'A brand',
  examples: [{ id: 5, name: 'Тармекс' }],
})

export const ProductImage = Type.Object(
  {
    id: described(Id, 'Id of the image'),
    url: Type.String({ description: 'Path of the image' }),
    displayOrder: DisplayOrder,
    width: described(Count, 'Pixels, in display orientation'),
    height: described(Count, 'Pixels, in display orientation'),
    alt: Type.String({ description: 'Name of the product' }),
  },
  {
    $id: 'ProductImage',
    description: 'An image of a product',
    examples: [
      {
        id: 31,
        url: '/api/v1/images/31',
        displayOrder: 0,
        width: 1600,
        height: 1200,
        alt: 'Перфоратор Тармекс ПЕ-1400, 1400 Вт',
      },
    ],
  },
)

export const AttributeSource = Enum(ATTRIBUTE_SOURCES, {
  $id: 'AttributeSource',
  description: 'Whose value it is: EXTERNAL, the supplier; MANUAL, staff',
})

export const ProductAttribute = Type.Object(
  {
    name: Type.String({ description: 'Name, unique on a card' }),
    value: Type.String({ description: 'Value' }),
    source: ref(AttributeSource),
  },
  {
    $id: 'ProductAttribute',
    description: 'An attribute of a product',
    examples: [{ name: 'Мощность', value: '1400 Вт', source: 'EXTERNAL' }],
  },
)
export type ProductAttribute = Static<typeof ProductAttribute>

export const ProductOverride = Enum(PRODUCT_OVERRIDES, {
  $id: 'ProductOverride',
  description: "A field of a supplier's product that staff can override",
})

/** Absent for the public. */
const staffProperties = {
  version: Type.Optional(
    described(Count, 'For staff: counts the changes by staff; send it as If-Match to avoid lost updates'),
  ),
  activeOverride: Type.Optional(
    Nullable(Type.Boolean({ description: "For staff: staff's decision; null: the supplier decides" })),
  ),
  overrides: Type.Optional(
    Type.Array(ref(ProductOverride), {
      description: 'For staff: the fields that staff override',
    }),
  ),
  supplierName: Type.Optional(
    Nullable(Type.String({ description: "For staff: the supplier's name, if overridden" })),
  ),
}

/** Texts that only staff write, the same in a product and in an edit of it. */
export const staffTexts = {
  metaTitle: Nullable(Type.String({ maxLength: 1000, description: 'Overrides the title template' })),
  metaDescription: Nullable(
    Type.String({ maxLength: 1000, description: 'Overrides the description template' }),
  ),
}

const productProperties = {
  id: described(Id, 'Id of the product'),
  externalId: Nullable(Type.String({ description: "The supplier's id; null: created by staff" })),
  name: Type.String({ description: 'Name' }),
  slug: Type.String({ description: 'Name in URLs' }),
  description: Nullable(Type.String({ description: 'May contain HTML of the supplier' })),
  price: Nullable(described(Money, "The supplier's price")),
  sitePrice: Nullable(described(Money, "Staff's override of the price")),
  finalPrice: Nullable(described(Money, 'What the customer pays; null: no price')),
  stock: described(Count, "The supplier's stock, before reservations"),
  available: Type.Boolean({ description: 'Active, priced above zero, and in stock after reservations' }),
  active: Type.Boolean({ description: 'Whether the public sees it' }),
  category: Nullable(ref(Link), { description: 'Null: none, or hidden from the caller' }),
  brand: Nullable(ref(BrandName), { description: 'Null: none' }),
  images: Type.Array(ref(ProductImage), { description: 'Images in display order, the main one first' }),
  ...staffTexts,
  seo: ref(Seo),
  tags: Type.Array(ref(Link), { description: 'Tags; for the public the enabled ones' }),
  rating: Nullable(ref(ProductRating), { description: 'Null: no active review' }),
  createdAt: described(Timestamp, 'Time of creation'),
  updatedAt: described(Timestamp, 'Time of the last change'),
  ...staffProperties,
}

const EXAMPLE = {
  id: 1160,
  externalId: 'T101160',
  name: 'Перфоратор Тармекс ПЕ-1400, 1400 Вт',
  slug: 'perforator-tarmeks-pe-1400-1400-vt',
  description: 'Три режима, патрон SDS-plus.',
  price: 4554.99,
  sitePrice: null,
  finalPrice: 4554.99,
  stock: 107,
  available: true,
  active: true,
  category: Link.examples?.[0],
  brand: BrandName.examples?.[0],
  images: [],
  metaTitle: null,
  metaDescription: null,
  seo: Seo.examples?.[0],
  tags: [],
  rating: ProductRating.examples?.[0],
  createdAt: '2026-11-02T09:15:00.000Z',
  updatedAt: '2026-11-21T10:02:36.000Z',
}

/** Contract section 4, "Product JSON". */
export const Product = Type.Object(productProperties, {
  $id: 'Product',
  description: 'A product in lists',
  examples: [EXAMPLE],
})
export type Product = Static<typeof Product>

export const ProductCard = Type.Object(
  {
    ...productProperties,
    attributes: Type.Array(ref(ProductAttribute), {
      description: "The supplier's and staff's attributes, merged",
    }),
    breadcrumbs: Type.Array(ref(Link), { description: 'From the root to the category' }),
    supplierDescription: Type.Optional(
      Nullable(Type.String({ description: "For staff: the supplier's description, if overridden" })),
    ),
  },
  {
    $id: 'ProductCard',
    description: 'A product with everything on its page',
    examples: [{ ...EXAMPLE, attributes: ProductAttribute.examples, breadcrumbs: Link.examples }],
  },
)
export type ProductCard = Static<typeof ProductCard>

const AnyPage = Page(Product)
export const ProductPage = Type.Object(
  {
    ...AnyPage.properties,
    correctedSearch: Nullable(
      Type.String({
        description: 'The search that was answered, where the given one finds nothing',
      }),
    ),
  },
  {
    $id: 'ProductPage',
    description: 'A page of products',
    examples: [{ ...AnyPage.examples?.[0], correctedSearch: null }],
  },
)
export type ProductPage = Omit<Static<typeof ProductPage>, 'content'> & { content: Product[] }
