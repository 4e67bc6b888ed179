type Cell = string | number
type Row = Record<string, Cell>

/** Prints rows as a Markdown table; a row that is a string becomes a heading line. */
export function printTable(title: string, rows: (Row | string)[]): void {
  const records = rows.filter((row) => typeof row !== 'string')
  const columns = [...new Set(records.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) =>
    columns.map((column, index) => (typeof row === 'string' ? (index === 0 ? row : '') : shown(row[column] ?? ''))),
  )
  const widths = columns.map((column, index) => Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)))
  const line = (texts: string[]) =>
    `| ${texts.map((text, index) => pad(text, widths[index] ?? 0, index === 0)).join(' | ')} |`
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  console.log([`\n${title}\n`, line(columns), line(rule), ...cells.map(line)].join('\n'))
}

/** `part` of `whole` in per cent. */
export function share(part: number, whole: number): string {
  return `${Math.round((part / Math.max(whole, Number.EPSILON)) * 100)} %`
}

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
}

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width)
}

/** Rounds to three digits. */
function shown(cell: Cell): string {
  if (typeof cell === 'string') return cell
  if (cell >= 100 || Number.isInteger(cell)) return String(Math.round(cell))
  return cell >= 10 ? cell.toFixed(1) : cell.toFixed(2)
}
