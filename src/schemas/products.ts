import { type Static, Type } from '@sinclair/typebox'
import { PRODUCT_SORT } from '../../db/tables/products.ts'
import { ATTRIBUTE_SOURCES } from '../rules/catalogue/attributes.ts'
import { Enum, Id, Money, Nullable, Page, PageQuery, ref, SortQuery, Timestamp } from './common.ts'

export const ProductQuery = Type.Object({
  ...PageQuery.properties,
  sort: SortQuery(PRODUCT_SORT, 'the best matches of a search first, else by id,'),
  categoryId: Type.Optional(Type.Integer({ ...Id, description: 'With its subcategories' })),
  brandId: Type.Optional(Id),
  minPrice: Type.Optional(Type.Number({ ...Money, description: 'Of finalPrice, included' })),
  maxPrice: Type.Optional(Type.Number({ ...Money, description: 'Of finalPrice, included' })),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Words of the name, at most ten; misspelt ones are understood',
    }),
  ),
  active: Type.Optional(
    Type.Boolean({ description: 'Staff only; absent: both. Anyone else sees active products only' }),
  ),
})
export type ProductQuery = Static<typeof ProductQuery>

/** Longer than any slug is no slug: a 404. */
export const SlugParams = Type.Object({ slug: Type.String({ minLength: 1, maxLength: 120 }) })

export const Seo = Type.Object({
  title: Type.String({ description: 'The override, or else the template' }),
  description: Type.String(),
})

const Reference = Type.Object({ id: Type.Integer(), name: Type.String(), slug: Type.String() })

export const ProductAttribute = Type.Object(
  { name: Type.String(), value: Type.String(), source: Enum(ATTRIBUTE_SOURCES) },
  { $id: 'ProductAttribute' },
)
export type ProductAttribute = Static<typeof ProductAttribute>

const productProperties = {
  id: Type.Integer(),
  externalId: Nullable(Type.String({ description: "The supplier's; null: made by hand" })),
  name: Type.String(),
  slug: Type.String(),
  description: Nullable(Type.String()),
  price: Nullable(Type.Number({ description: "The supplier's" })),
  sitePrice: Nullable(Type.Number({ description: 'The manual override' })),
  finalPrice: Nullable(Type.Number({ description: 'What the customer pays' })),
  stock: Type.Integer({ description: "The supplier's figure" }),
  available: Type.Boolean({ description: 'Active, priced above zero, and in stock after reservations' }),
  active: Type.Boolean(),
  category: Nullable(Reference),
  brand: Nullable(Type.Pick(Reference, ['id', 'name'])),
  images: Type.Array(Type.Object({ id: Type.Integer(), url: Type.String(), displayOrder: Type.Integer() })),
  metaTitle: Nullable(Type.String()),
  metaDescription: Nullable(Type.String()),
  seo: Seo,
  tags: Type.Array(Reference),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

/** Contract section 4, "Product JSON". */
export const Product = Type.Object(productProperties, { $id: 'Product' })
export type Product = Static<typeof Product>

export const ProductCard = Type.Object(
  {
    ...productProperties,
    attributes: Type.Array(ref(ProductAttribute)),
    breadcrumbs: Type.Array(Reference, { description: 'From the root to the category' }),
  },
  { $id: 'ProductCard' },
)
export type ProductCard = Static<typeof ProductCard>

export const ProductPage = Page(ref(Product))
