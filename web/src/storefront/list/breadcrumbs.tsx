import { Link } from '@tanstack/react-router'
import { t } from '../text.ts'
import css from './breadcrumbs.module.css'

/** The way from the home page. */
export function Breadcrumbs({ path }: { path: readonly { id: number; name: string; slug: string }[] }) {
  return (
    <nav aria-label={t.breadcrumbs}>
      <ol className={css.path}>
        <li>
          <Link to="/categories">{t.catalogue}</Link>
        </li>
        {path.map(({ id, name, slug }) => (
          <li key={id}>
            <Link to="/categories/$slug" params={{ slug }}>
              {name}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}
