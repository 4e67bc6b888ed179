import { t } from '../text.ts'
import css from './picture.module.css'

/** Widths that the shop draws ahead (docs/content.md). */
const WIDTHS = [320, 640, 960]

type Props = {
  image: { url: string; width: number; height: number; alt: string } | undefined
  sizes: string
  isFirst?: boolean
}

/** A picture in the width that its place needs. @param isFirst what the visitor sees first, so it isn't put off */
export function Picture({ image, sizes, isFirst = false }: Props) {
  if (image === undefined) return <span className={css.none}>{t.noImage}</span>
  return (
    <img
      className={css.picture}
      src={`${image.url}&width=640`}
      srcSet={WIDTHS.map((width) => `${image.url}&width=${width} ${width}w`).join(', ')}
      sizes={sizes}
      width={image.width}
      height={image.height}
      alt={image.alt}
      loading={isFirst ? 'eager' : 'lazy'}
      fetchPriority={isFirst ? 'high' : 'auto'}
      decoding="async"
    />
  )
}
