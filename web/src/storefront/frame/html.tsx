import DOMPurify from 'dompurify'
import { useEffect, useRef } from 'react'
import css from './html.module.css'

/** Shows HTML that the shop has sanitised; here once more, since it comes from outside of the page. */
export function Html({ html }: { html: string }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    element.current?.replaceChildren(DOMPurify.sanitize(html, { RETURN_DOM_FRAGMENT: true }))
  }, [html])
  return <div ref={element} className={css.html} />
}
