import { ORIGINAL_SIZE } from './images.ts'
import { hashText } from './random.ts'

/** The shop systems whose pages the demo storefront imitates. */
export const PAGE_SHAPES = ['opencart', 'bitrix', 'woocommerce', 'shopify', 'graph'] as const
export type PageShape = (typeof PAGE_SHAPES)[number]

/** Percent-encoded paths with a leading slash. */
export interface PicturePaths {
  readonly original: string
  readonly thumbnail: string
}

/** The picture that a path names. */
interface PictureRequest {
  readonly seed: number
  readonly width: number
  readonly height: number
}

export const LOGO_PATH = '/img/logo.png'
export const MAKER_LOGO_PATH = '/upload/iblock/brands/maker-logo.png'
export const CART_ICON_PATH = '/img/icons/cart.png'
export const PLACEHOLDER_PATHS: Readonly<Record<PageShape, string>> = {
  opencart: '/img/cache/no_image-228x228.png',
  bitrix: '/upload/no-photo.png',
  woocommerce: '/wp-content/uploads/woocommerce-placeholder.png',
  shopify: '/cdn/shop/no-image.png',
  graph: '/img/placeholder.png',
}

const SITE_PICTURES: ReadonlyMap<string, PictureRequest> = new Map([
  [LOGO_PATH, { seed: 11, width: 160, height: 48 }],
  [MAKER_LOGO_PATH, { seed: 12, width: 120, height: 40 }],
  [CART_ICON_PATH, { seed: 13, width: 16, height: 16 }],
  ...Object.values(PLACEHOLDER_PATHS).map((path) => [path, { seed: 14, width: 200, height: 200 }] as const),
])
const PRODUCT_PICTURE = /-([0-9a-f]{8})-(\d{1,2})(?:-(\d{2,3})x\d+|_(\d{2,3})x)?\.png$/
const RESIZED_FOLDER = /\/resize_cache\/.*\/(\d{2,3})_\d+_1\//

/** The shop system that a product's page imitates, derived from its id. */
export function pageShape(productId: string): PageShape {
  return PAGE_SHAPES[hashText(`shape ${productId}`) % PAGE_SHAPES.length] ?? 'opencart'
}

/** Paths of a product's picture in a shop of this shape. @param index from 1 */
export function picturePaths(shape: PageShape, productId: string, index: number): PicturePaths {
  const file = `${pictureKey(productId)}-${index}`
  const folder = file.slice(0, 2)
  switch (shape) {
    case 'opencart':
      return {
        original: `/img/catalog/tovar-${file}.png`,
        thumbnail: `/img/cache/catalog/tovar-${file}-228x228.png`,
      }
    case 'bitrix':
      return {
        original: `/upload/iblock/${folder}/photo-${file}.png`,
        thumbnail: `/upload/resize_cache/iblock/${folder}/180_180_1/photo-${file}.png`,
      }
    case 'woocommerce':
      return {
        original: `/wp-content/uploads/2026/03/item-${file}.png`,
        thumbnail: `/wp-content/uploads/2026/03/item-${file}-300x300.png`,
      }
    case 'shopify':
      return {
        original: `/cdn/shop/products/p-${file}.png?v=1767225600`,
        thumbnail: `/cdn/shop/products/p-${file}_180x.png?v=1767225600`,
      }
    case 'graph':
      // Some shops use Cyrillic file names.
      return {
        original: `/img/${encodeURIComponent('фото')}/${encodeURIComponent('снимок')}-${file}.png`,
        thumbnail: `/img/${encodeURIComponent('фото')}/${encodeURIComponent('снимок')}-${file}-120x120.png`,
      }
  }
}

/** Parses a path without its query. @returns undefined for an unknown picture */
export function readPicturePath(path: string): PictureRequest | undefined {
  const sitePicture = SITE_PICTURES.get(path)
  if (sitePicture !== undefined) return sitePicture
  const parts = PRODUCT_PICTURE.exec(path)
  if (parts === null) return undefined
  const [, key = '', index = '', dashed, underscored] = parts
  const size = Number(dashed ?? underscored ?? RESIZED_FOLDER.exec(path)?.[1] ?? ORIGINAL_SIZE)
  return { seed: (Number.parseInt(key, 16) + Number(index)) >>> 0, width: size, height: size }
}

function pictureKey(productId: string): string {
  return hashText(`picture ${productId}`).toString(16).padStart(8, '0')
}
