import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { parseSearch, readSearch, stringifySearch } from './address.ts'
import { Layout } from './frame/layout.tsx'
import { Failure, NotFound } from './frame/states.tsx'

const root = createRootRoute({ component: Layout, validateSearch: readSearch, notFoundComponent: NotFound })
const page = <const Path extends string, Module, Name extends keyof Module & string>(
  path: Path,
  load: () => Promise<Module & Record<Name, RouteComponent>>,
  name: Name,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) })

/** The addresses that the server answers with this page: routes/storefront.ts. */
const routeTree = root.addChildren([
  page('/', () => import('./home/home-page.tsx'), 'HomePage'),
  page('/categories', () => import('./categories/categories-page.tsx'), 'CategoriesPage'),
  page('/categories/$slug', () => import('./category/category-page.tsx'), 'CategoryPage'),
  page('/tags/$slug', () => import('./category/tag-page.tsx'), 'TagPage'),
  page('/brands', () => import('./brands/brands-page.tsx'), 'BrandsPage'),
  page('/brands/$slug', () => import('./brands/brand-page.tsx'), 'BrandPage'),
  page('/search', () => import('./search/search-page.tsx'), 'SearchPage'),
  page('/products/$slug', () => import('./product/product-page.tsx'), 'ProductPage'),
  page('/cart', () => import('./cart/cart-page.tsx'), 'CartPage'),
  page('/checkout', () => import('./checkout/checkout-page.tsx'), 'CheckoutPage'),
  page('/order/$token', () => import('./order/order-page.tsx'), 'OrderPage'),
  page('/account', () => import('./account/account-page.tsx'), 'AccountPage'),
  page('/forgot-password', () => import('./password/forgotten-page.tsx'), 'ForgottenPage'),
  page('/reset-password', () => import('./password/reset-page.tsx'), 'ResetPage'),
  page('/contact', () => import('./contact/contact-page.tsx'), 'ContactPage'),
])

/** Each page is loaded when it is first shown. */
export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: Failure,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
