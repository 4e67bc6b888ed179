import { useMutation, useQuery } from '@tanstack/react-query'
import { api, done, got } from '../../api/client.ts'
import { SelectField } from '../../ui/fields.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Panel, Table } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { useCategoryOptions } from '../categories/options.ts'
import { t } from './text.ts'

/** Which of our categories each category of the feed is. */
export function FeedCategories() {
  const options = useCategoryOptions()
  const categories = useQuery({
    queryKey: ['pipeline', 'categories'],
    queryFn: () => got(api.GET('/api/v1/admin/xml-feed/categories')),
  })
  const map = useMutation({
    mutationFn: async ({ feedCategoryId, categoryId }: { feedCategoryId: string; categoryId: number | null }) => {
      const params = { path: { feedCategoryId } }
      if (categoryId === null) {
        await done(api.DELETE('/api/v1/admin/xml-feed/category-mappings/{feedCategoryId}', { params }))
        return
      }
      await got(api.PUT('/api/v1/admin/xml-feed/category-mappings/{feedCategoryId}', { params, body: { categoryId } }))
    },
  })
  return (
    <Panel title={t.categories}>
      <p className={`${css.muted} ${css.small}`}>{t.categoriesHint}</p>
      <Loaded query={categories}>
        {(all) =>
          all.length === 0 ? (
            <p>{t.noCategories}</p>
          ) : (
            <Table label={t.categories}>
              <thead>
                <tr>
                  <th>{t.feedCategory}</th>
                  <th data-number>{t.offers}</th>
                  <th>{t.ours}</th>
                </tr>
              </thead>
              <tbody>
                {all.map((one) => (
                  <tr key={one.id}>
                    <td data-main className={one.inFeed ? undefined : css.muted}>
                      {one.name}
                    </td>
                    <td data-label={t.offers} data-number>
                      {formatNumber(one.offers)}
                    </td>
                    <td>
                      <SelectField
                        label={`${t.ours}: ${one.name}`}
                        isHiddenLabel
                        value={String(one.category?.id ?? '')}
                        options={[['', t.notMapped], ...options]}
                        onChange={(value) =>
                          map.mutate({ feedCategoryId: one.id, categoryId: value === '' ? null : Number(value) })
                        }
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
    </Panel>
  )
}
