import css from './category.module.css'

/** The texts of a document of blocks, `{blocks: [{type, text}]}`, or of an editor's nested nodes. */
export function SeoText({ document }: { document: { [key: string]: unknown } | null }) {
  const paragraphs = textsOf(document)
  if (paragraphs.length === 0) return null
  return (
    <div className={css.text}>
      {paragraphs.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
}

function textsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsOf)
  if (typeof node !== 'object' || node === null) return []
  if ('text' in node && typeof node.text === 'string') return [node.text]
  return Object.values(node).flatMap(textsOf)
}
