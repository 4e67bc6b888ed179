import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { useFilters } from '../../ui/filters.tsx'
import { Empty, Loaded, PageHead, Panel } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { categoriesQuery } from '../options.ts'
import { useMay } from '../user.ts'
import { CategoryFilters } from './filters.tsx'
import { CategoryForm } from './form.tsx'
import { HideUnused } from './hide-unused.tsx'
import { t } from './text.ts'
import { CategoryTree } from './tree.tsx'

/** The tree on the left, and the chosen category beside it. */
export function Categories() {
  const may = useMay()
  const [{ category: chosen }, setFilters] = useFilters()
  const [isNew, setNew] = useState(false)
  const categories = useQuery(categoriesQuery)
  const category = useQuery({
    queryKey: ['categories', 'one', chosen],
    queryFn: () => got(api.GET('/api/v1/categories/{id}', { params: { path: { id: Number(chosen) } } })),
    enabled: chosen !== undefined && !isNew,
  })
  return (
    <>
      <PageHead title={t.categories}>
        <HideUnused />
        <Button look="primary" onPress={() => setNew(true)}>
          {t.newCategory}
        </Button>
      </PageHead>
      <div className={css.columns}>
        <Panel>
          <Loaded query={categories}>
            {(all) =>
              all.length === 0 ? (
                <Empty>{t.none}</Empty>
              ) : (
                <CategoryTree
                  categories={all}
                  chosen={chosen}
                  onChoose={(id) => {
                    setNew(false)
                    setFilters({ category: id })
                  }}
                />
              )
            }
          </Loaded>
        </Panel>
        <div>
          {isNew ? (
            <Panel title={t.newCategory}>
              <CategoryForm
                category={null}
                onSaved={({ id }) => {
                  setNew(false)
                  setFilters({ category: String(id) })
                }}
              />
            </Panel>
          ) : chosen === undefined ? (
            <Panel>
              <Empty>{t.choose}</Empty>
            </Panel>
          ) : (
            <Loaded query={category}>
              {(read) => (
                <Panel title={read.name}>
                  <CategoryForm key={read.id} category={read} onRemoved={() => setFilters({ category: undefined })} />
                </Panel>
              )}
            </Loaded>
          )}
        </div>
      </div>
      {may('settings') && <CategoryFilters />}
    </>
  )
}
