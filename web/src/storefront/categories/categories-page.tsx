import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PageHead } from '../frame/page-head.tsx'
import { Failure, Loading } from '../frame/states.tsx'
import { t } from '../text.ts'
import { treeQuery } from '../tree.ts'
import css from './categories.module.css'

export function CategoriesPage() {
  const { data, error, refetch } = useQuery(treeQuery)
  if (error) return <Failure error={error} reset={refetch} />
  if (data === undefined) return <Loading />
  return (
    <>
      <PageHead title={t.catalogue} />
      <h1>{t.catalogue}</h1>
      {data.length === 0 && <p>{t.empty}</p>}
      <div className={css.columns}>
        {data.map(({ id, name, slug, children }) => (
          <section key={id} className={css.group}>
            <h2>
              <Link to="/categories/$slug" params={{ slug }}>
                {name}
              </Link>
            </h2>
            {children.map((child) => (
              <div key={child.id} className={css.child}>
                <Link to="/categories/$slug" params={{ slug: child.slug }}>
                  {child.name}
                </Link>
                <ul>
                  {child.children.map((leaf) => (
                    <li key={leaf.id}>
                      <Link to="/categories/$slug" params={{ slug: leaf.slug }}>
                        {leaf.name}
                      </Link>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </section>
        ))}
      </div>
    </>
  )
}
