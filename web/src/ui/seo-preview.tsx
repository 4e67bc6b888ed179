import css from './seo-preview.module.css'

/** About what a search engine shows. */
export function SeoPreview({ slug, title, description }: { slug: string; title: string; description: string }) {
  return (
    <div className={css.preview}>
      <div className={css.path}>… › {slug}</div>
      <div className={css.title}>{title}</div>
      <div>{description}</div>
    </div>
  )
}
