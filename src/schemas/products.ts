import { type Static, Type } from '@sinclair/typebox'
import { PRODUCT_SORT } from '../../db/tables/products.ts'
import { ATTRIBUTE_SOURCES } from '../rules/catalogue/attributes.ts'
import { PRODUCT_OVERRIDES } from '../rules/catalogue/product-fields.ts'
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

export const ProductQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(PRODUCT_SORT, 'the best matches of a search first, else by id,'),
  categoryId: Type.Optional(described(Id, 'Of this category and its subcategories')),
  brandId: Type.Optional(
    Type.String({
      maxLength: 1100,
      pattern: '^[0-9, ]+$',
      description: 'Of this brand, or of any of several with commas between them',
      examples: ['5,12'],
    }),
  ),
  tagId: Type.Optional(described(Id, 'With this tag: what its landing page lists')),
  minPrice: Type.Optional({ ...described(Money, 'Least finalPrice, included'), examples: [500] }),
  maxPrice: Type.Optional({ ...described(Money, 'Largest finalPrice, included'), examples: [9999.99] }),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Words of the name in any form, of which ten count; misspelt ones are understood',
      examples: ['перфоратор'],
    }),
  ),
  inStock: Type.Optional(
    Type.Boolean({
      description: 'true: only what is available; false: as if it were absent',
      examples: [true],
    }),
  ),
  active: Type.Optional(
    Type.Boolean({
      description: 'Staff only; absent: both. Anyone else sees active products only',
      examples: [true],
    }),
  ),
})
export type ProductQuery = Static<typeof ProductQuery>

const AttributeValue = Type.String({ maxLength: 500 })

/** What a list of products is narrowed to, `attr.<name>` included. */
export const ProductListQuery = Type.Object(ProductQuery.properties, {
  patternProperties: {
    '^attr\\.': Type.Union([AttributeValue, Type.Array(AttributeValue, { maxItems: 50 })]),
  },
})

/** The same without what makes pages of it. */
export const FacetQuery = Type.Object(
  Type.Omit(ProductQuery, ['page', 'size', 'sort', 'active']).properties,
  {
    patternProperties: ProductListQuery.patternProperties,
  },
)

/** Longer than any slug is no slug: a 404. */
export const SlugParams = Type.Object({
  slug: Type.String({
    minLength: 1,
    maxLength: 120,
    description: 'The record’s slug, the present one or a former one',
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
    description: 'What search engines are told, ready to use',
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
    description: 'A category or a tag, as much as a link to it needs',
    examples: [{ id: 5, name: 'Перфораторы', slug: 'perforatory' }],
  },
)

export const BrandName = Type.Object(named, {
  $id: 'BrandName',
  description: 'A brand by its name',
  examples: [{ id: 5, name: 'Тармекс' }],
})

export const ProductImage = Type.Object(
  {
    id: described(Id, 'Id of the image'),
    url: Type.String({ description: 'Where it is' }),
    displayOrder: DisplayOrder,
  },
  {
    $id: 'ProductImage',
    description: 'A picture of a product',
    examples: [{ id: 31, url: '/api/v1/images/31', displayOrder: 0 }],
  },
)

export const AttributeSource = Enum(ATTRIBUTE_SOURCES, {
  $id: 'AttributeSource',
  description: 'Who said it: the supplier or staff',
})

export const ProductAttribute = Type.Object(
  {
    name: Type.String({ description: 'What is said of the product' }),
    value: Type.String({ description: 'What it is' }),
    source: ref(AttributeSource),
  },
  {
    $id: 'ProductAttribute',
    description: 'Something that is known of a product',
    examples: [{ name: 'Мощность', value: '1400 Вт', source: 'EXTERNAL' }],
  },
)
export type ProductAttribute = Static<typeof ProductAttribute>

export const ProductOverride = Enum(PRODUCT_OVERRIDES, {
  $id: 'ProductOverride',
  description: "A field of a supplier's product that staff can take over",
})

/** Members that only staff are shown. */
const staffProperties = {
  version: Type.Optional(
    described(
      Count,
      'For staff: counts what staff changed; send it as If-Match to change only what you know',
    ),
  ),
  activeOverride: Type.Optional(
    Nullable(
      Type.Boolean({ description: "For staff: what staff decided; null: the supplier's word counts" }),
    ),
  ),
  overrides: Type.Optional(
    Type.Array(ref(ProductOverride), {
      description: "For staff: what they took over of a supplier's product",
    }),
  ),
  supplierName: Type.Optional(
    Nullable(Type.String({ description: "For staff: the supplier's name for it where theirs is another" })),
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
  externalId: Nullable(Type.String({ description: "The supplier's id; null: made by hand" })),
  name: Type.String({ description: 'What it is called' }),
  slug: Type.String({ description: 'Its name in addresses' }),
  description: Nullable(Type.String({ description: 'May hold HTML, as the supplier wrote it' })),
  price: Nullable(described(Money, "The supplier's")),
  sitePrice: Nullable(described(Money, 'The manual override')),
  finalPrice: Nullable(described(Money, 'What the customer pays; null: it has no price')),
  stock: described(Count, "The supplier's figure"),
  available: Type.Boolean({ description: 'Active, priced above zero, and in stock after reservations' }),
  active: Type.Boolean({ description: 'Whether the public sees it' }),
  category: Nullable(ref(Link), { description: 'Null: none, or one that the caller may not see' }),
  brand: Nullable(ref(BrandName), { description: 'Null: none is known' }),
  images: Type.Array(ref(ProductImage), { description: 'Its pictures, in their order' }),
  ...staffTexts,
  seo: ref(Seo),
  tags: Type.Array(ref(Link), { description: 'What it is tagged with' }),
  createdAt: described(Timestamp, 'When it came into the shop'),
  updatedAt: described(Timestamp, 'When it was changed last'),
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
  createdAt: '2026-11-02T09:15:00.000Z',
  updatedAt: '2026-11-21T10:02:36.000Z',
}

/** Contract section 4, "Product JSON". */
export const Product = Type.Object(productProperties, {
  $id: 'Product',
  description: 'A product as lists show it',
  examples: [EXAMPLE],
})
export type Product = Static<typeof Product>

export const ProductCard = Type.Object(
  {
    ...productProperties,
    attributes: Type.Array(ref(ProductAttribute), { description: 'What is known of it' }),
    breadcrumbs: Type.Array(ref(Link), { description: 'From the root to the category' }),
    supplierDescription: Type.Optional(
      Nullable(Type.String({ description: "For staff: the supplier's description where theirs is another" })),
    ),
  },
  {
    $id: 'ProductCard',
    description: 'A product with all that its page shows',
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
        description: 'What the search was taken for, since nothing is found by it as it stands',
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
