import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The API answers for a former slug, too: the address becomes the current one. */
export function useCurrentSlug(slug: string, current: string | undefined): void {
  const navigate = useNavigate()
  useEffect(() => {
    if (current !== undefined && current !== slug)
      void navigate({ to: '.', params: { slug: current }, search: true, replace: true })
  }, [slug, current, navigate])
}
