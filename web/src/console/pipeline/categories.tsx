import { useMutation, useQuery } from '@tanstack/react-query'
import { api, done, got } from '../../api/client.ts'
import { SelectField } from '../../ui/fields.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Panel, Small } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { List } from '../../ui/table.tsx'
import { useCategoryOptions } from '../options.ts'
import { t } from './text.ts'

const PATH = '/api/v1/admin/xml-feed/category-mappings/{feedCategoryId}'

/** Which of our categories each category of the feed is. */
export function FeedCategories() {
  const options = useCategoryOptions()
  const categories = useQuery({
    queryKey: ['pipeline', 'categories'],
    queryFn: () => got(api.GET('/api/v1/admin/xml-feed/categories')),
  })
  const map = useMutation({
    mutationFn: async ({ feedCategoryId, chosen }: { feedCategoryId: string; chosen: string }) => {
      const params = { path: { feedCategoryId } }
      if (chosen === '') await done(api.DELETE(PATH, { params }))
      else await got(api.PUT(PATH, { params, body: { categoryId: Number(chosen) } }))
    },
  })
  return (
    <Panel title={t.categories}>
      <Small>{t.categoriesHint}</Small>
      <List
        label={t.categories}
        query={categories}
        empty={t.noCategories}
        columns={[
          { head: t.feedCategory, cell: ({ name, inFeed }) => <span className={inFeed ? '' : css.muted}>{name}</span> },
          { head: t.offers, type: 'number', cell: ({ offers }) => formatNumber(offers) },
          {
            head: t.ours,
            type: 'text',
            cell: ({ id, name, category }) => (
              <SelectField
                label={`${t.ours}: ${name}`}
                isHiddenLabel
                value={String(category?.id ?? '')}
                options={[['', t.notMapped], ...options]}
                onChange={(chosen) => map.mutate({ feedCategoryId: id, chosen })}
              />
            ),
          },
        ]}
      />
    </Panel>
  )
}
