import type { UseQueryResult } from '@tanstack/react-query'
import type { Key, ReactNode } from 'react'
import { Button } from './button.tsx'
import { CheckField } from './fields.tsx'
import { useFilters } from './filters.tsx'
import { formatNumber } from './format.ts'
import css from './list.module.css'
import { Empty, Loaded, Small } from './list.tsx'
import page from './page.module.css'
import { t } from './text.ts'

export type Column<Row> = {
  head: string
  cell: (row: Row) => ReactNode
  /** What explains it, in small letters. */
  note?: (row: Row) => ReactNode
  /** Numbers stand on the right, a text needs no label on a telephone, heads of images and actions are only heard. */
  type?: 'number' | 'text' | 'image' | 'actions'
  /** The field by which the API sorts. */
  sort?: string
}

type Selection<Row> = {
  isSelected: (row: Row) => boolean
  onSelect: (rows: readonly Row[], isOn: boolean) => void
  nameOf: (row: Row) => string | number
}

type TableProps<Row> = {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** Its id, if it isn't said. */
  rowKey?: (row: Row) => Key
  selection?: Selection<Row>
  foot?: ReactNode
}

const HEARD = ['image', 'actions']

/** A table that scrolls within itself; on a telephone its rows are cards, headed by the first column with a head. */
export function Table<Row extends object>(props: TableProps<Row>) {
  const { label, rows, columns, rowKey = idOf, selection, foot } = props
  const main = columns.find(({ type = '' }) => !HEARD.includes(type))
  return (
    <div className={css.frame}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {selection && (
              <th>
                <CheckField
                  aria-label={t.selectAll}
                  isSelected={rows.every(selection.isSelected)}
                  onChange={(isOn) => selection.onSelect(rows, isOn)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.head} {...column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {selection && (
                <td>
                  <CheckField
                    aria-label={`${t.select} ${selection.nameOf(row)}`}
                    isSelected={selection.isSelected(row)}
                    onChange={(isOn) => selection.onSelect([row], isOn)}
                  />
                </td>
              )}
              {columns.map((column) => (
                <Cell key={column.head} column={column} row={row} isMain={column === main} />
              ))}
            </tr>
          ))}
        </tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  )
}

function Head({ head, type, sort }: Column<never>) {
  const className = type === 'number' ? css.number : undefined
  if (sort !== undefined) return <SortHead head={head} field={sort} className={className} />
  return (
    <th className={className}>{type && HEARD.includes(type) ? <span className={page.hidden}>{head}</span> : head}</th>
  )
}

/** The filter `sort` is `field` or `field,desc`. */
function SortHead({ head, field, className }: { head: string; field: string; className: string | undefined }) {
  const [filters, setFilters] = useFilters()
  const [sorted, direction] = (filters.sort ?? '').split(',')
  const isSorted = sorted === field
  const isDescending = isSorted && direction === 'desc'
  const sort = isSorted && !isDescending ? `${field},desc` : field
  return (
    <th className={className} aria-sort={!isSorted ? undefined : isDescending ? 'descending' : 'ascending'}>
      <button type="button" className={css.sort} onClick={() => setFilters({ sort })}>
        {head}
        <span aria-hidden="true">{!isSorted ? '' : isDescending ? ' ↓' : ' ↑'}</span>
      </button>
    </th>
  )
}

type CellProps<Row> = { column: Column<Row>; row: Row; isMain: boolean }

function Cell<Row>({ column: { head, cell, note, type }, row, isMain }: CellProps<Row>) {
  const isLabelled = !isMain && (type === undefined || type === 'number')
  return (
    <td data-main={isMain || undefined} data-type={type} data-label={isLabelled ? head : undefined}>
      {isLabelled ? <div>{cell(row)}</div> : cell(row)}
      {note && <Small>{note(row)}</Small>}
    </td>
  )
}

function idOf(row: object): Key {
  return 'id' in row ? String(row.id) : JSON.stringify(row)
}

type Page = { number: number; totalPages: number; totalElements: number; first: boolean; last: boolean }

type ListProps<Row> = Omit<TableProps<Row>, 'rows'> & {
  query: UseQueryResult<readonly Row[] | (Page & { content: readonly Row[] })>
  empty: ReactNode
  /** What can be done with each row, and the dialog in which it is edited. */
  editor?: { column: Column<Row>; dialog: ReactNode } | undefined
}

/** The table of what a query reads: all rows, or a page of them. */
export function List<Row extends object>({ query, empty, editor, columns, ...table }: ListProps<Row>) {
  return (
    <>
      <Loaded query={query}>
        {(read) => {
          const rows = 'content' in read ? read.content : read
          if (rows.length === 0) return <Empty>{empty}</Empty>
          return (
            <>
              <Table {...table} rows={rows} columns={editor ? [...columns, editor.column] : columns} />
              {'content' in read && <Pager page={read} />}
            </>
          )
        }}
      </Loaded>
      {editor?.dialog}
    </>
  )
}

export function Pager({ page: { number, totalPages, totalElements, first, last } }: { page: Page }) {
  const [, setFilters] = useFilters()
  return (
    <nav className={css.pager} aria-label={t.pageOf(number + 1, totalPages)}>
      <span className={css.count}>{t.records(formatNumber(totalElements))}</span>
      {totalPages > 1 && (
        <>
          <Button isDisabled={first} onPress={() => setFilters({ page: String(number - 1) })}>
            {t.previous}
          </Button>
          <span>{t.pageOf(number + 1, totalPages)}</span>
          <Button isDisabled={last} onPress={() => setFilters({ page: String(number + 1) })}>
            {t.next}
          </Button>
        </>
      )}
    </nav>
  )
}
