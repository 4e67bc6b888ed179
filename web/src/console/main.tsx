import '../ui/tokens.css'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { ApiFailure } from '../api/failure.ts'
import { LOCALE } from '../ui/format.ts'
import { language } from '../ui/language.ts'
import { Notices, notifyFailure } from '../ui/notice.tsx'
import { router } from './routes.tsx'
import { t } from './text.ts'
import { applyTheme, readTheme } from './theme.ts'

const MAX_RETRIES = 2

const client: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // What the API refuses, it will refuse again.
      retry: (count, error) =>
        count < MAX_RETRIES && error instanceof ApiFailure && (error.status === 0 || error.status >= 500),
    },
  },
  queryCache: new QueryCache({
    onError: (error) => {
      const isRequired = error instanceof ApiFailure && error.code === 'TOTP_SETUP_REQUIRED'
      if (isRequired) void router.navigate({ to: '/account', search: { totp: 'required' } })
    },
  }),
  mutationCache: new MutationCache({
    // A write may concern more than its page knows; what is open is little to read again.
    onSuccess: () => void client.invalidateQueries(),
    onError: (error, variables, _context, mutation) => {
      if (error instanceof ApiFailure && error.status === 412) void client.invalidateQueries()
      if (mutation.meta?.silent !== true) notifyFailure(error, () => void mutation.execute(variables).catch(() => {}))
    },
  }),
})

document.documentElement.lang = language
document.title = t.console
applyTheme(readTheme())
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <I18nProvider locale={LOCALE}>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
          <Notices />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  )
}
