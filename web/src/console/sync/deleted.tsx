import { useMutation, useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { formatTime } from '../../ui/format.ts'
import { Panel, Small } from '../../ui/list.tsx'
import { List } from '../../ui/table.tsx'
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
  const restoreButton = (externalId: string) => (
    <Button look="quiet" onPress={() => restore.mutate(externalId)}>
      {t.restore}
    </Button>
  )
  return (
    <Panel title={t.deleted}>
      <Small>{t.deletedHint}</Small>
      <List
        label={t.deleted}
        query={deleted}
        empty={t.noDeleted}
        columns={[
          { head: t.product, cell: ({ name, externalId }) => name ?? externalId },
          { head: t.changed, cell: ({ deletedAt }) => formatTime(deletedAt) },
          { head: t.actions, type: 'actions', cell: ({ externalId }) => restoreButton(externalId) },
        ]}
      />
    </Panel>
  )
}
