import { useMutation, useQuery } from '@tanstack/react-query'
import { api, at, done, got, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { oneOf } from '../../ui/filters.tsx'
import { line } from '../../ui/form-data.ts'
import { formatTime } from '../../ui/format.ts'
import { Loaded, Panel, Small } from '../../ui/list.tsx'
import { notify } from '../../ui/notice.tsx'
import css from '../../ui/page.module.css'
import { RecordForm } from '../../ui/record-form.tsx'
import { RemoveButton } from '../editor.tsx'
import { t } from './text.ts'

type Override = Schemas['ImageOverride']

/** Where the pictures of a product are fetched from: the supplier's page, and addresses that staff set instead or beside it. */
export function ImageSources({ productId }: { productId: number }) {
  const overrides = useQuery({
    queryKey: ['image-overrides'],
    queryFn: () => got(api.GET('/api/v1/admin/xml-pipeline/image-overrides')),
  })
  const scrape = useQuery({
    queryKey: ['scraping', 'product', productId],
    queryFn: () => got(api.GET('/api/v1/admin/scrape-queue/product/{productId}', { params: { path: { productId } } })),
  })
  const fetchNow = useMutation({
    mutationFn: () => {
      const params = { path: { productId } }
      return got(api.POST('/api/v1/admin/scrape-queue/product/{productId}/enqueue', { params, body: null }))
    },
    onSuccess: () => notify(t.fetching),
  })
  const { pageUrl = null, task = null } = scrape.data ?? {}
  return (
    <Panel
      title={t.sources}
      actions={
        <Button isPending={fetchNow.isPending} onPress={() => fetchNow.mutate()}>
          {t.fetchNow}
        </Button>
      }
    >
      <div className={css.stack}>
        <Small>
          {pageUrl === null ? t.noSource : <a href={pageUrl}>{pageUrl}</a>}
          {task && ` · ${t.scrape[task.status]}, ${formatTime(task.updatedAt)}`}
        </Small>
        {task?.errorMessage && <Small isBad>{task.errorMessage}</Small>}
        <Loaded query={overrides}>
          {(all) => {
            const own = all.find((override) => override.productId === productId) ?? null
            return <OverrideForm key={own?.id} productId={productId} override={own} />
          }}
        </Loaded>
      </div>
    </Panel>
  )
}

function OverrideForm({ productId, override }: { productId: number; override: Override | null }) {
  const remove = useMutation({
    mutationFn: (record: Override) =>
      done(api.DELETE('/api/v1/admin/xml-pipeline/image-overrides/{id}', { params: at(record) })),
  })
  return (
    <RecordForm
      record={override}
      read={{
        productId: () => productId,
        mode: (form, name) => oneOf(t.modes, line(form, name)) ?? 'REPLACE',
        urls: (form, name) => line(form, name).split(/\s+/).filter(Boolean),
      }}
      create={(body) => got(api.POST('/api/v1/admin/xml-pipeline/image-overrides', { body }))}
      update={(body, params) => got(api.PUT('/api/v1/admin/xml-pipeline/image-overrides/{id}', { params, body }))}
      actions={override && <RemoveButton name={t.urls} onRemove={() => remove.mutate(override)} />}
    >
      <TextField name="urls" rows={3} label={t.urls} hint={t.urlsHint} defaultValue={override?.urls.join('\n')} />
      <SelectField name="mode" label={t.mode} options={Object.entries(t.modes)} defaultValue={override?.mode} />
    </RecordForm>
  )
}
