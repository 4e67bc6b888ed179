import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Loaded } from '../../ui/list.tsx'
import css from '../../ui/page.module.css'
import { t } from './text.ts'

/** Hides categories without products, after it has shown which. */
export function HideUnused() {
  const [isOpen, setOpen] = useState(false)
  const preview = useQuery({
    queryKey: ['categories', 'unused'],
    queryFn: () => got(api.GET('/api/v1/categories/actions/hide-unused/preview')),
    enabled: isOpen,
  })
  const apply = useMutation({
    mutationFn: () => got(api.POST('/api/v1/categories/actions/hide-unused/apply')),
    onSuccess: () => setOpen(false),
  })
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t.hideUnused}</Button>
      <Dialog title={t.hideUnused} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Loaded query={preview}>
          {({ categories, count }) =>
            count === 0 ? (
              <p>{t.nothingUnused}</p>
            ) : (
              <div className={css.stack}>
                <p>{t.hideUnusedExplained}</p>
                <ul className={css.list}>
                  {categories.map(({ id, path }) => (
                    <li key={id}>{path}</li>
                  ))}
                </ul>
                <Button look="primary" isPending={apply.isPending} onPress={() => apply.mutate()}>
                  {t.hide(formatNumber(count))}
                </Button>
              </div>
            )
          }
        </Loaded>
      </Dialog>
    </>
  )
}
