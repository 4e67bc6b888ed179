import { useEffect, useRef } from 'react'
import css from './html.module.css'
import { setHtml } from './trusted.ts'

/** Shows HTML of the API. */
export function Html({ html }: { html: string }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (element.current !== null) setHtml(element.current, html)
  }, [html])
  return <div ref={element} className={css.html} />
}
