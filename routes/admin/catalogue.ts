import { callerOf } from '../../plugins/auth.ts'
import { Brand, BrandInput } from '../../src/schemas/catalogue.ts'
import { CategoryFilter, CategoryFilterInput, ListedCategories } from '../../src/schemas/categories.ts'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { CsvFile } from '../../src/schemas/lists.ts'
import { DeletedProduct, DeletedProductParams } from '../../src/schemas/product-editing.ts'
import { Attribute, AttributeInput, AttributeParams } from '../../src/schemas/product-search.ts'
import { ProductExportQuery } from '../../src/schemas/products.ts'
import { listAttributes, setAttribute } from '../../src/services/catalogue/attributes.ts'
import { updateBrand } from '../../src/services/catalogue/brands.ts'
import { CATEGORY_FILTERS, checkFilter, testFilter } from '../../src/services/catalogue/category-visibility.ts'
import { listDeletedProducts, restoreDeletedProduct } from '../../src/services/catalogue/product-editing.ts'
import { exportProducts } from '../../src/services/catalogue/products.ts'
import { recordUseCases } from '../../src/services/records.ts'
import { routes } from '../endpoints.ts'
import { recordRoutes } from '../record-routes.ts'

/** Contract section 4, "Attributes". */
export const attributeRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listAttributes',
    summary: 'List the attributes of products',
    description: 'Those of active products and those with settings, ordered as facets.',
    response: { 200: List(Attribute, 'The attributes') },
    handler: async () => listAttributes(deps),
  })

  app.put('/:name', {
    operationId: 'updateAttribute',
    summary: 'Set how facets show an attribute',
    description: 'Takes effect at once, on every instance. The `attr.<name>` filter works either way.',
    params: AttributeParams,
    body: ref(AttributeInput),
    response: { 200: ref(Attribute) },
    handler: async (request) => setAttribute(deps, callerOf(request), request.params.name, request.body),
  })
})

/** Contract section 4, "Brands". */
export const brandEditingRoutes = routes('ADMIN', (app, deps) => {
  app.put('/:id', {
    operationId: 'updateBrand',
    summary: 'Update a brand',
    description: "A name other than the supplier's survives every sync; a former slug redirects.",
    params: IdParams,
    body: ref(BrandInput),
    response: { 200: ref(Brand), 409: Conflict('SLUG_TAKEN') },
    handler: async (request) => updateBrand(deps, callerOf(request), request.params.id, request.body),
  })
})

/** Contract section 4, "Rules". */
export const categoryFilterRoutes = routes('ADMIN', (app, deps) => {
  recordRoutes(app, {
    name: 'category filter',
    schemas: { record: CategoryFilter, input: CategoryFilterInput },
    check: checkFilter,
    notes: {
      list: 'By id, inactive ones included.',
      create: 'Hides the matching categories, and those below them, at once.',
      delete: 'Categories that no other filter hides become visible.',
    },
    ...recordUseCases(CATEGORY_FILTERS),
  })
  app.post('/test', {
    config: { check: checkFilter },
    operationId: 'testCategoryFilter',
    summary: 'Test a category filter',
    description: 'Lists what it would hide without hiding it.',
    body: ref(CategoryFilterInput),
    response: { 200: ref(ListedCategories) },
    handler: async (request) => testFilter(deps, request.body),
  })
})

/** Contract section 11, "Repairs without SQL". */
export const deletedProductRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listDeletedProducts',
    summary: "List the supplier's products that staff deleted",
    description: 'The newest 1000 deletions; the sync leaves these products out.',
    response: { 200: List(DeletedProduct, 'The products') },
    handler: async () => listDeletedProducts(deps),
  })

  app.post('/:externalId/restore', {
    operationId: 'restoreDeletedProduct',
    summary: 'Let the sync bring a product back',
    description: 'The next run reads all products.',
    params: DeletedProductParams,
    response: { 200: ref(DeletedProduct) },
    handler: async (request) => restoreDeletedProduct(deps, callerOf(request), request.params.externalId),
  })
})

/** Contract section 5, "Exports". */
export const adminProductRoutes = routes('ADMIN', (app, deps) => {
  app.get('/export', {
    operationId: 'exportProducts',
    summary: 'Export products as CSV',
    description: 'Filters and sort of the list, with all products that staff see; without descriptions.',
    querystring: ProductExportQuery,
    response: { 200: CsvFile },
    handler: async (request, reply) => reply.csv(await exportProducts(deps, request.query)),
  })
})
