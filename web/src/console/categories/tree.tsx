import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import {
  Button as AriaButton,
  Collection,
  Tree,
  TreeItem,
  TreeItemContent,
  useDragAndDrop,
} from 'react-aria-components'
import { api, got } from '../../api/client.ts'
import { formatNumber } from '../../ui/format.ts'
import page from '../../ui/page.module.css'
import { t } from './text.ts'
import css from './tree.module.css'

type Category = {
  id: number
  name: string
  parentId: number | null
  enabled: boolean
  visible: boolean
  displayOrder: number
  productCount: number
}
type Node = Category & { children: Node[] }

const byOrder = (a: Category, b: Category) => a.displayOrder - b.displayOrder || a.name.localeCompare(b.name)

function toTree(categories: readonly Category[]): Node[] {
  const nodes = new Map(categories.map((category): [number, Node] => [category.id, { ...category, children: [] }]))
  const top: Node[] = []
  for (const node of nodes.values()) {
    const parent = node.parentId === null ? undefined : nodes.get(node.parentId)
    if (parent === undefined) top.push(node)
    else parent.children.push(node)
  }
  for (const { children } of nodes.values()) children.sort(byOrder)
  return top.sort(byOrder)
}

type Props = { categories: readonly Category[]; chosen: string | undefined; onChoose: (id: string) => void }

/** All categories; dragging one moves it, and what the API refuses springs back. */
export function CategoryTree({ categories, chosen, onChoose }: Props) {
  const tree = toTree(categories)
  const [expanded, setExpanded] = useState<Iterable<string | number>>(() => ancestorsOf(categories, Number(chosen)))
  const move = useMutation({
    mutationFn: ({ id, parentId, position }: { id: number; parentId: number | null; position: number }) =>
      got(api.POST('/api/v1/categories/{id}/move', { params: { path: { id } }, body: { parentId, position } })),
  })
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onMove: ({ keys, target }) => {
      const [id] = [...keys].map(Number)
      const onto = categories.find((category) => category.id === Number(target.key))
      if (id === undefined || onto === undefined) return
      const parentId = target.dropPosition === 'on' ? onto.id : onto.parentId
      const others = categories.filter((one) => one.parentId === parentId && one.id !== id).sort(byOrder)
      const at = others.findIndex((category) => category.id === onto.id)
      const position = target.dropPosition === 'on' ? others.length : at + (target.dropPosition === 'after' ? 1 : 0)
      move.mutate({ id, parentId, position })
    },
  })

  return (
    <>
      <p className={`${page.muted} ${page.small}`}>{t.hint}</p>
      <Tree
        aria-label={t.categories}
        className={css.tree}
        items={tree}
        selectionMode="single"
        selectionBehavior="replace"
        selectedKeys={chosen === undefined ? [] : [Number(chosen)]}
        onSelectionChange={(keys) => {
          const [key] = keys === 'all' ? [] : keys
          if (key !== undefined) onChoose(String(key))
        }}
        expandedKeys={expanded}
        onExpandedChange={setExpanded}
        dragAndDropHooks={dragAndDropHooks}
      >
        {(node) => <CategoryItem node={node} />}
      </Tree>
    </>
  )
}

function CategoryItem({ node }: { node: Node }) {
  return (
    <TreeItem id={node.id} textValue={node.name} className={css.item}>
      <TreeItemContent>
        {({ hasChildItems }) => (
          <div className={css.row}>
            <AriaButton slot="drag" className={css.handle} aria-label={`${t.drag}: ${node.name}`}>
              ⠿
            </AriaButton>
            {hasChildItems ? (
              <AriaButton slot="chevron" className={css.chevron} aria-label={`${t.expand}: ${node.name}`}>
                ›
              </AriaButton>
            ) : (
              <span className={css.chevron} />
            )}
            <span className={node.visible ? undefined : page.muted}>{node.name}</span>
            <span className={css.count}>
              {node.visible ? '' : `${node.enabled ? t.autoHidden : t.hidden} · `}
              {formatNumber(node.productCount)}
            </span>
          </div>
        )}
      </TreeItemContent>
      <Collection items={node.children}>{(child) => <CategoryItem node={child} />}</Collection>
    </TreeItem>
  )
}

function ancestorsOf(categories: readonly Category[], id: number): number[] {
  const found: number[] = []
  let next = categories.find((category) => category.id === id)?.parentId
  while (next !== undefined && next !== null && !found.includes(next)) {
    found.push(next)
    const above = next
    next = categories.find((category) => category.id === above)?.parentId
  }
  return found
}
