import type { Schemas } from '../api.ts'
import common from '../frame/common.module.css'
import css from './home.module.css'
import { t } from './text.ts'

export function Banner({ banner }: { banner: Schemas['BannerBlock'] }) {
  const { title, subtitle, text, imageUrl, linkUrl, buttonText } = banner
  return (
    <section className={css.banner}>
      <div>
        <h2>{title}</h2>
        {subtitle !== null && <p className={css.subtitle}>{subtitle}</p>}
        {text !== null && <p>{text}</p>}
        {linkUrl !== null && (
          <a href={linkUrl} className={common.primary}>
            {buttonText || t.more}
          </a>
        )}
      </div>
      {imageUrl !== null && (
        <img
          src={`${imageUrl}&width=640`}
          srcSet={`${imageUrl}&width=640 640w, ${imageUrl}&width=960 960w`}
          sizes="(max-width: 700px) 100vw, 600px"
          alt=""
        />
      )}
    </section>
  )
}

export function Feature({ feature }: { feature: Schemas['FeatureItem'] }) {
  const { title, description, imageUrl, linkUrl } = feature
  return (
    <div className={css.feature}>
      {imageUrl !== null && <img src={`${imageUrl}&width=160`} width={48} height={48} alt="" loading="lazy" />}
      <h3>{linkUrl === null ? title : <a href={linkUrl}>{title}</a>}</h3>
      {description !== null && <p>{description}</p>}
    </div>
  )
}
