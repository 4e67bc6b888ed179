import { type Static, Type } from '@sinclair/typebox'
import { MAX_ORDER_LINES } from '../rules/orders/lines.ts'
import { SeoTextDoc } from './categories.ts'
import * as t from './common.ts'
import { CartReason } from './errors.ts'
import { OrderLine } from './orders.ts'
import { Seo } from './products.ts'

const ImageId = t.Nullable(t.Id('Image of the library; null: none'))
const DESCRIPTION = '<p>Инструмент для стройки.</p>'

/** Contract section 4, "Brands". */
export const Brand = t.NamedObject('Brand', 'A brand; only staff get the optional members', {
  id: t.Id('Id of the brand'),
  externalId: t.Nullable(t.Text("The supplier's id", 'B105')),
  name: t.Text('Name', 'Тармекс'),
  slug: t.Text('Name in URLs', 'tarmeks'),
  description: t.Nullable(t.Text('Sanitised HTML', DESCRIPTION)),
  imageUrl: t.Nullable(t.Text('Path of its image; null: none', '/api/v1/images/31')),
  productCount: t.Count('Active products of the brand'),
  imageId: Type.Optional(ImageId),
  supplierName: Type.Optional(t.Nullable(t.Text("The supplier's name, if staff have set another"))),
})
export type Brand = Static<typeof Brand>

export const Brands = t.List(Brand, 'The brands')

export const BrandInput = t.NamedObject('BrandInput', 'An edit of a brand; absent fields keep their values', {
  name: t.NonBlankLine(500, "Name; setting the supplier's name again ends the override", 'Тармекс'),
  slug: Type.Optional(t.Slug('Name in URLs: a-z, 0-9 and single dashes')),
  description: t.optionalText(100_000, 'HTML, which is sanitised', DESCRIPTION),
  imageId: Type.Optional(ImageId),
})
export type BrandInput = Static<typeof BrandInput>

const tagProperties = {
  enabled: Type.Boolean({ description: 'Whether the public sees it' }),
  metaTitle: t.Nullable(t.FreeText(300, 'Overrides the title template')),
  metaDescription: t.Nullable(t.FreeText(1000, 'Overrides the description template', 'Всё для дачного сезона')),
  seoTextDoc: SeoTextDoc,
}

export const TagInput = t.NamedObject('TagInput', 'A tag to write; absent fields keep their values', {
  name: t.NonBlank(200, 'Name', 'Для дачи'),
  ...t.partial({
    ...tagProperties,
    slug: t.Slug('Name in URLs: a-z, 0-9 and single dashes; a new tag gets one from its name by default'),
  }),
})
export type TagInput = Static<typeof TagInput>

/** Specification, "Tag". */
export const Tag = t.NamedObject('Tag', 'A tag with its landing page; only staff get the optional members', {
  id: t.Id('Id of the tag'),
  name: t.Text('Name', 'Для дачи'),
  slug: t.Text('Name in URLs', 'dlya-dachi'),
  ...tagProperties,
  seo: t.ref(Seo),
  ...t.partial({ ...t.EDITED, productCount: t.Count('Active products with the tag') }),
})
export type Tag = Static<typeof Tag>

/** Not limited to what an order may have: one line that can't be ordered must not hide the others. */
const Quantity = Type.Integer({
  format: 'int64',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Pieces; a quantity outside the limits of an order makes the line unavailable',
})

const CartLine = t.NamedObject('CartLine', 'A product and the quantity wanted', {
  productId: OrderLine.properties.productId,
  quantity: Quantity,
})

export const CartLines = Type.Array(t.ref(CartLine), {
  $id: 'CartLines',
  maxItems: MAX_ORDER_LINES,
  description: 'Lines of a cart',
  examples: [CartLine.examples],
})
export type CartLines = Static<typeof CartLines>

const CartItem = t.NamedObject('CartItem', 'A cart line with its price and availability', {
  productId: t.Id('Product as requested'),
  quantity: { ...Quantity, description: 'Quantity as requested', examples: [2] },
  name: t.Nullable(t.Text('Name, or null for an unknown product', 'Розетка умная Teqora РУ-14М, 14 А')),
  slug: t.Nullable(t.Text('Slug, or null for an unknown product', 'rozetka-umnaya-teqora-ru-14m-14-a')),
  imageUrl: t.Nullable(t.Text('Path of the main image, or null if there is none', '/api/v1/images/31')),
  price: t.Nullable(t.Money('Current price; null or 0: no price', 744)),
  lineTotal: t.Nullable(t.Total('price × quantity, or null if one of them is missing', 1488)),
  available: Type.Boolean({ description: 'Whether the line can be ordered' }),
  availableQuantity: t.Count('Available quantity', 113),
  reason: t.Nullable(t.ref(CartReason), { description: 'Why the line is unavailable, or null', examples: [null] }),
})

/** Contract section 5, "Cart". */
export const Cart = t.NamedObject('Cart', 'A cart with prices and availability', {
  valid: Type.Boolean({ description: 'Whether every line can be ordered' }),
  total: t.Total('Sum of the available lines', 1488),
  items: t.List(CartItem, 'Lines in the order of the request'),
})
export type Cart = Static<typeof Cart>
