import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FileTrigger } from 'react-aria-components'
import { api, done, got, type Schemas, upload } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { CheckFilter, SearchFilter, useFilters } from '../../ui/filters.tsx'
import { formatBytes, formatDay } from '../../ui/format.ts'
import { Empty, Loaded, PageHead, Small, Toolbar } from '../../ui/list.tsx'
import { notify } from '../../ui/notice.tsx'
import classes from '../../ui/page.module.css'
import { Pager } from '../../ui/table.tsx'
import { RemoveButton } from '../editor.tsx'
import css from './images.module.css'
import { t } from './text.ts'
import { IMAGE_TYPES, ImageUpload } from './upload.tsx'

/** The media library. */
export function Images() {
  const [filters, setFilters] = useFilters()
  const client = useQueryClient()
  const { page, search, sort = 'createdAt,desc', unused } = filters
  const images = useQuery({
    queryKey: ['images', filters],
    queryFn: () => {
      const query = { page: Number(page ?? 0), size: 48, sort, search, ...(unused ? { unused: true } : {}) }
      return got(api.GET('/api/v1/images', { params: { query } }))
    },
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHead title={t.images}>
        <ImageUpload
          label={t.upload}
          allowsMultiple
          onUploaded={() => void client.invalidateQueries({ queryKey: ['images'] })}
        />
      </PageHead>
      <Toolbar>
        <SearchFilter label={t.searchHint} />
        <SelectField
          label={t.sort}
          value={sort}
          options={[
            ['createdAt,desc', t.newest],
            ['fileName', t.byName],
            ['size,desc', t.largest],
          ]}
          onChange={(value) => setFilters({ sort: value })}
        />
        <CheckFilter name="unused" label={t.unused} />
      </Toolbar>
      <Loaded query={images}>
        {(found) =>
          found.content.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <>
              <ul className={css.grid}>
                {found.content.map((image) => (
                  <ImageCard key={image.id} image={image} />
                ))}
              </ul>
              <Pager page={found} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

function ImageCard({ image }: { image: Schemas['Image'] }) {
  const { id, url, fileName, usedBy } = image
  const replace = useMutation({
    mutationFn: (file: File) => upload('PUT', `/api/v1/images/${id}/replace`, file, () => {}),
    onSuccess: () => notify(t.replaced),
  })
  const remove = useMutation({
    mutationFn: () =>
      done(api.DELETE('/api/v1/images/{id}', { params: { path: { id }, query: { force: usedBy.length > 0 } } })),
  })
  return (
    <li className={css.card}>
      <img src={`${url}&width=320`} alt={fileName} loading="lazy" />
      <div className={css.about}>
        <strong>{fileName}</strong>
        <Small>
          {`${image.width} × ${image.height} · ${formatBytes(image.size)} · ${formatDay(image.createdAt)}`}
          <div>{usedBy.length === 0 ? t.notUsed : `${t.usedBy}: ${usedBy.map(({ name }) => name).join(', ')}`}</div>
        </Small>
        <div className={classes.row}>
          <FileTrigger
            acceptedFileTypes={IMAGE_TYPES}
            onSelect={(files) => {
              const file = files?.item(0)
              if (file) replace.mutate(file)
            }}
          >
            <Button look="quiet" isPending={replace.isPending}>
              {t.replace}
            </Button>
          </FileTrigger>
          <RemoveButton
            look="quiet"
            name={fileName}
            hint={usedBy.length > 0 && t.removeUsed(usedBy.length)}
            onRemove={() => remove.mutate()}
          />
        </div>
      </div>
    </li>
  )
}
