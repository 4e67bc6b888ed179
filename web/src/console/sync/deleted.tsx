import { useMutation, useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Panel, Small } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

export function DeletedProducts() {
  const deleted = useQuery({
    queryKey: ['products', 'deleted'],
    queryFn: () => got(api.GET('/api/v1/admin/deleted-products')),
  })
  const restore = useMutation({
    mutationFn: (externalId: string) =>
      got(api.POST('/api/v1/admin/deleted-products/{externalId}/restore', { params: { path: { externalId } } })),
  })
  return (
    <Panel title={t.deleted}>
      <Small>{t.deletedHint}</Small>
      <Loaded query={deleted}>
        {(all) =>
          all.length === 0 ? (
            <p>{t.noDeleted}</p>
          ) : (
            <ul className={css.list}>
              {all.map(({ externalId, name, deletedAt }) => (
                <li key={externalId} className={css.row}>
                  {name ?? externalId} <span className={css.muted}>{formatTime(deletedAt)}</span>
                  <Button look="quiet" onPress={() => restore.mutate(externalId)}>
                    {t.restore}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}
