import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Loaded } from '../../ui/list.tsx'
import page from '../../ui/page.module.css'
import css from './images.module.css'
import { t } from './text.ts'
import { ImageUpload } from './upload.tsx'

/** A picture of the media library as a field of a form: its id, which `readNumber` reads. */
export function ImageField({ name, defaultId }: { name: string; defaultId: number | null }) {
  const [id, setId] = useState(defaultId)
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  const images = useQuery({
    queryKey: ['images', 'choose', search],
    queryFn: () => got(api.GET('/api/v1/images', { params: { query: { size: 24, sort: 'createdAt,desc', search } } })),
    enabled: isOpen,
  })
  const choose = (chosen: number | null) => {
    setId(chosen)
    setOpen(false)
  }
  return (
    <div className={css.chosen}>
      <input type="hidden" name={name} value={id ?? ''} />
      {id !== null && <img src={`/api/v1/images/${id}?width=160`} alt={t.image} />}
      <Button onPress={() => setOpen(true)}>{t.choose}</Button>
      {id !== null && (
        <Button look="quiet" onPress={() => setId(null)}>
          {t.noPicture}
        </Button>
      )}
      <Dialog title={t.choose} isOpen={isOpen} onClose={() => setOpen(false)} isWide>
        <div className={page.stack}>
          <TextField type="search" label={t.searchHint} value={search} onChange={setSearch} />
          <Loaded query={images}>
            {({ content }) => (
              <div className={css.choices}>
                {content.map((image) => (
                  <Button key={image.id} aria-label={image.fileName} onPress={() => choose(image.id)}>
                    <img src={`${image.url}&width=160`} alt="" />
                  </Button>
                ))}
              </div>
            )}
          </Loaded>
          <div>
            <ImageUpload label={t.uploadNew} onUploaded={choose} />
          </div>
        </div>
      </Dialog>
    </div>
  )
}
