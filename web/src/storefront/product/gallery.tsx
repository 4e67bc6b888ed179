import { useState } from 'react'
import type { Schemas } from '../api.ts'
import { Picture } from '../list/picture.tsx'
import css from './product.module.css'
import { t } from './text.ts'

/** One large picture, and small ones to choose from. */
export function Gallery({ images }: { images: Schemas['ProductCard']['images'] }) {
  const [chosen, setChosen] = useState(0)
  return (
    <div className={css.gallery}>
      <Picture image={images[chosen] ?? images[0]} sizes="(max-width: 800px) 92vw, 520px" isFirst />
      {images.length > 1 && (
        <div className={css.thumbnails}>
          {images.map(({ id, url }, index) => (
            <button
              key={id}
              type="button"
              aria-label={`${t.picture} ${index + 1}`}
              aria-pressed={index === chosen}
              onClick={() => setChosen(index)}
            >
              <img src={`${url}&width=160`} width={64} height={64} alt="" loading="lazy" />
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
