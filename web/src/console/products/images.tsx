import { useState } from 'react'
import { GridList, GridListItem, isTextDropItem, useDragAndDrop } from 'react-aria-components'
import { useChange } from '../../api/change.ts'
import { api, got } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Panel, Small } from '../../ui/list.tsx'
import { ImageUpload } from '../images/upload.tsx'
import css from './images.module.css'
import { productKey, type StaffProductCard } from './staff.ts'
import { t } from './text.ts'

/** The pictures of a product in their order; the first is the main one. */
export function ProductImages({ product }: { product: StaffProductCard }) {
  const change = useChange<StaffProductCard>(productKey(product.id))
  const [chosen, setChosen] = useState<readonly number[] | null>(null)
  // What was dropped stays where it is until the API has answered.
  const shown = (change.isPending ? chosen : null) ?? product.images.map(({ id }) => id)
  const setImages = (imageIds: number[]) => {
    setChosen(imageIds)
    const path = { id: product.id }
    change.mutate((header) =>
      got(api.PUT('/api/v1/products/{id}/images', { params: { path, header }, body: { imageIds } })),
    )
  }
  const images = shown.flatMap((id) => product.images.find((image) => image.id === id) ?? [])

  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      const moved = [...keys].map(Number)
      const rest = shown.filter((id) => !moved.includes(id))
      const at = rest.indexOf(Number(target.key)) + (target.dropPosition === 'after' ? 1 : 0)
      setImages(rest.toSpliced(at, 0, ...moved))
    },
    onRootDrop: ({ items }) => items.filter(isTextDropItem),
  })

  return (
    <Panel
      title={t.pictures}
      actions={<ImageUpload label={t.addPicture} onUploaded={(id) => setImages([...shown, id])} />}
    >
      {images.length > 0 && <Small>{t.picturesHint}</Small>}
      <GridList
        aria-label={t.pictures}
        layout="grid"
        className={css.images}
        items={images}
        dragAndDropHooks={dragAndDropHooks}
        renderEmptyState={() => t.noPictures}
      >
        {({ id, url, alt }) => (
          <GridListItem id={id} textValue={`${t.pictures} ${shown.indexOf(id) + 1}`} className={css.image}>
            <Button slot="drag" look="quiet" aria-label={t.order}>
              ⠿
            </Button>
            <img src={`${url}&width=320`} alt={alt} />
            <Button look="quiet" aria-label={t.remove} onPress={() => setImages(shown.filter((one) => one !== id))}>
              ✕
            </Button>
          </GridListItem>
        )}
      </GridList>
    </Panel>
  )
}
