import { callerOf } from '../plugins/auth.ts'
import { NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import * as wire from '../src/schemas/product-editing.ts'
import { ProductCard } from '../src/schemas/products.ts'
import { checkProducts, editProducts } from '../src/services/catalogue/product-bulk.ts'
import * as editing from '../src/services/catalogue/product-editing.ts'
import * as parts from '../src/services/catalogue/product-parts.ts'
import { routes } from './endpoints.ts'
import { recordRoutes, slugRoutes, targetOf, VERSIONED } from './record-routes.ts'

const product = { id: 'Product', name: 'product' }
const image = { params: wire.ProductImageParams, headers: VersionHeaders }
const edited = { 200: ref(ProductCard) }

/** Specification, "Product and category editing"; contract section 4. */
export const productEditingRoutes = routes('ADMIN', (app, deps) => {
  recordRoutes(app, {
    ...product,
    schemas: { record: ProductCard, input: wire.NewProduct, change: wire.ProductReplacement },
    updateId: 'replaceProduct',
    notes: {
      create: "With `externalId` it is the supplier's, even if deleted here; the sync fills in the rest.",
      update:
        "Absent fields keep their values. Changed fields of a supplier's product become overrides; its price and stock cannot be changed.",
      delete: "Orders keep their lines. The sync does not bring a supplier's product back.",
    },
    conflicts: { create: ['EXTERNAL_ID_TAKEN'] },
    create: editing.createProduct,
    update: editing.replaceProduct,
    delete: editing.deleteProduct,
  })
  slugRoutes(app, { ...product, record: ProductCard, setSlug: parts.setSlug })

  app.patch('/:id', {
    ...VERSIONED,
    operationId: 'updateProduct',
    summary: 'Update some fields of a product',
    description:
      "An empty metaTitle or metaDescription, or its flag, restores the template; `clearOverrides` lets the next sync restore the supplier's values. A flag wins over a value.",
    body: ref(wire.ProductPatch),
    response: edited,
    handler: async (request) => editing.updateProduct(deps, callerOf(request), targetOf(request), request.body),
  })

  app.patch('/', {
    config: { check: checkProducts },
    operationId: 'updateProducts',
    summary: 'Update many products',
    description: 'All or nothing, at most 10 000: if `errors` names any product, none was changed.',
    querystring: wire.BulkEditQuery,
    body: ref(wire.BulkEdit),
    response: { 200: ref(wire.BulkEdited), 409: Conflict('TOO_MANY_PRODUCTS') },
    handler: async (request) => {
      const how = { ...request.query, language: request.language }
      return editProducts(deps, callerOf(request), request.body, how)
    },
  })

  app.put('/:id/attributes', {
    ...VERSIONED,
    config: { check: parts.checkAttributes },
    operationId: 'replaceProductAttributes',
    summary: 'Replace the manual attributes of a product',
    description: "Each hides the supplier's attribute of the same name.",
    body: ref(wire.ManualAttributes),
    response: edited,
    handler: async (request) => parts.setAttributes(deps, callerOf(request), targetOf(request), request.body),
  })

  app.put('/:id/tags', {
    ...VERSIONED,
    operationId: 'replaceProductTags',
    summary: 'Replace the tags of a product',
    body: ref(wire.ProductTags),
    response: edited,
    handler: async (request) => parts.setTags(deps, callerOf(request), targetOf(request), request.body),
  })

  app.put('/:id/images', {
    ...VERSIONED,
    operationId: 'replaceProductImages',
    summary: 'Replace the images of a product',
    body: ref(wire.ProductImages),
    response: edited,
    handler: async (request) => parts.setImages(deps, callerOf(request), targetOf(request), request.body),
  })

  app.post('/:productId/images/:imageId', {
    ...image,
    operationId: 'linkProductImage',
    summary: 'Link an image to a product',
    description: 'An image that is already linked is moved.',
    querystring: wire.ImagePlaceQuery,
    response: edited,
    handler: async (request) => {
      const { productId, imageId } = request.params
      const target = { id: productId, ifMatch: request.headers['if-match'] }
      return parts.addImage(deps, callerOf(request), target, imageId, request.query.displayOrder)
    },
  })

  app.delete('/:productId/images/:imageId', {
    ...image,
    operationId: 'unlinkProductImage',
    summary: 'Unlink an image from a product',
    description: 'The image itself remains.',
    response: { 204: NoContent },
    handler: async (request) => {
      const { productId, imageId } = request.params
      const target = { id: productId, ifMatch: request.headers['if-match'] }
      await parts.removeImage(deps, callerOf(request), target, imageId)
    },
  })
})
