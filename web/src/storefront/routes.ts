import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { parseSearch, readSearch, stringifySearch } from './address.ts'
import { Layout } from './frame/layout.tsx'
import { Failure, NotFound } from './frame/states.tsx'

const root = createRootRoute({ component: Layout, validateSearch: readSearch, notFoundComponent: NotFound })
const getParentRoute = () => root

/** The addresses that the server answers with this page: routes/storefront.ts. */
const routeTree = root.addChildren([
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./home/home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/categories',
    component: lazyRouteComponent(() => import('./categories/categories-page.tsx'), 'CategoriesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/categories/$slug',
    component: lazyRouteComponent(() => import('./category/category-page.tsx'), 'CategoryPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/tags/$slug',
    component: lazyRouteComponent(() => import('./category/tag-page.tsx'), 'TagPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/brands',
    component: lazyRouteComponent(() => import('./brands/brands-page.tsx'), 'BrandsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/brands/$slug',
    component: lazyRouteComponent(() => import('./brands/brand-page.tsx'), 'BrandPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/search',
    component: lazyRouteComponent(() => import('./search/search-page.tsx'), 'SearchPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/products/$slug',
    component: lazyRouteComponent(() => import('./product/product-page.tsx'), 'ProductPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/cart',
    component: lazyRouteComponent(() => import('./cart/cart-page.tsx'), 'CartPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/checkout',
    component: lazyRouteComponent(() => import('./checkout/checkout-page.tsx'), 'CheckoutPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/order/$token',
    component: lazyRouteComponent(() => import('./order/order-page.tsx'), 'OrderPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/account',
    component: lazyRouteComponent(() => import('./account/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./password/forgotten-page.tsx'), 'ForgottenPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/reset-password',
    component: lazyRouteComponent(() => import('./password/reset-page.tsx'), 'ResetPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/contact',
    component: lazyRouteComponent(() => import('./contact/contact-page.tsx'), 'ContactPage'),
  }),
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
