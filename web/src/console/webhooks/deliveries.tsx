import { useMutation, useQuery } from '@tanstack/react-query'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatTime } from '../../ui/format.ts'
import { Badge, Loaded, Small } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

const TONES = { PENDING: 'warn', DELIVERED: 'good', FAILED: 'bad' } as const

export function WebhookDeliveries({ id, onClose }: { id: number; onClose: () => void }) {
  const deliveries = useQuery({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: () => got(api.GET('/api/v1/admin/webhooks/{id}/deliveries', { params: { path: { id } } })),
  })
  const retry = useMutation({
    mutationFn: (deliveryId: number) => {
      const params = { path: { id, deliveryId } }
      return got(api.POST('/api/v1/admin/webhooks/{id}/deliveries/{deliveryId}/retry', { params }))
    },
  })
  return (
    <Dialog title={t.deliveries} onClose={onClose} isWide>
      <Loaded query={deliveries}>
        {(all) =>
          all.length === 0 ? (
            <p>{t.noDeliveries}</p>
          ) : (
            <ul className={css.list}>
              {all.map((delivery) => (
                <li key={delivery.id}>
                  <div className={css.row}>
                    <Badge tone={TONES[delivery.status]}>{t.statuses[delivery.status]}</Badge>
                    <strong>{delivery.event}</strong>
                    <Small>{`${formatTime(delivery.createdAt)} · ${t.attempts}: ${delivery.attempts}`}</Small>
                    <Button look="quiet" onPress={() => retry.mutate(delivery.id)}>
                      {t.retry}
                    </Button>
                  </div>
                  {(delivery.error ?? delivery.responseStatus) !== null && (
                    <p className={css.pre}>
                      {delivery.error ?? `${t.answer} ${delivery.responseStatus}: ${delivery.response ?? ''}`}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  )
}
