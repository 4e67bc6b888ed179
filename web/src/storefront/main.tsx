import '../ui/tokens.css'
import './frame/page.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiFailure } from '../api/failure.ts'
import { language } from '../ui/language.ts'
import { router } from './routes.ts'

const MAX_RETRIES = 2

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // What the API refuses, it will refuse again.
      retry: (failures, error) =>
        failures < MAX_RETRIES && error instanceof ApiFailure && (error.status === 0 || error.status >= 500),
    },
  },
})

document.documentElement.lang = language
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
