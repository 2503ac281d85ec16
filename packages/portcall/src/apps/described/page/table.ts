/** A table: sorted, filtered, in pages. */
import type { JsonObject } from '../../../jsonrpc/message.ts'
import { readTable, type TableData } from '../read-data.ts'
import type { ShownValue, TableSpec } from '../spec.ts'
import { textOfValue } from '../values.ts'
import { h, locale, newId } from './dom.ts'

interface TableState {
  query: string
  sortedBy: ShownValue | undefined
  isDescending: boolean
  page: number
}

/** Draws a table. */
export function drawTable(spec: TableSpec, data: unknown): HTMLElement {
  const table = readTable(spec, data)
  const state: TableState = { query: '', sortedBy: undefined, isDescending: false, page: 0 }
  const textsOf = memoized((row) => table.columns.map((column) => textOfValue(row[column.key], column, locale())))
  const [count, body, pager] = [
    h('p', { class: 'count', role: 'status' }),
    h('tbody'),
    h('nav', { class: 'pager', 'aria-label': 'Pages' }),
  ]
  const heads = table.columns.map((column) => createHead(column, () => sortBy(column)))
  const draw = (): void => {
    const rows = sorted(filtered(table.rows, { query: state.query, textsOf }), state)
    const pages = Math.max(1, Math.ceil(rows.length / spec.pageSize))
    state.page = Math.min(state.page, pages - 1)
    const shown = rows.slice(state.page * spec.pageSize, (state.page + 1) * spec.pageSize)
    body.replaceChildren(...shown.map((row) => createRow(row, table, textsOf)))
    if (rows.length === 0) body.append(h('tr', {}, h('td', { colspan: table.columns.length || 1, class: 'empty' }, spec.empty)))
    count.textContent = countText(rows.length, table.rows.length)
    drawPager(pager, { pages, page: state.page, onPage: (page) => turnTo(page) })
  }
  const turnTo = (page: number): void => {
    state.page = page
    draw()
  }
  const sortBy = (column: ShownValue): void => {
    state.isDescending = state.sortedBy === column && !state.isDescending
    state.sortedBy = column
    for (const [index, { cell }] of heads.entries())
      cell.ariaSort = table.columns[index] === column ? (state.isDescending ? 'descending' : 'ascending') : 'none'
    turnTo(0)
  }
  const id = newId()
  const search = h('input', { id, type: 'search', class: 'search', placeholder: 'Search', input: () => find() })
  const find = (): void => {
    state.query = search.value
    turnTo(0)
  }
  draw()
  return h(
    'section',
    { class: 'table-view' },
    h(
      'div',
      { class: 'bar' },
      spec.search && table.rows.length > 0 && h('label', { for: id, class: 'hidden' }, 'Search'),
      spec.search && table.rows.length > 0 && search,
      count,
    ),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': spec.title ?? 'Table' },
      h('table', {}, h('thead', {}, h('tr', {}, ...heads.map(({ cell }) => cell))), body),
    ),
    pager,
  )
}

const isNumeric = ({ kind }: ShownValue): boolean => kind === 'number'

function createHead(column: ShownValue, onSort: () => void): { readonly cell: HTMLTableCellElement } {
  const props = { scope: 'col', ...(isNumeric(column) && { class: 'number' }) }
  if (column.sortable === false) return { cell: h('th', props, h('span', {}, column.title)) }
  return { cell: h('th', { ...props, 'aria-sort': 'none' }, h('button', { type: 'button', click: onSort }, column.title)) }
}

function createRow(row: JsonObject, { columns }: TableData, textsOf: (row: JsonObject) => readonly string[]): HTMLElement {
  const texts = textsOf(row)
  return h('tr', {}, ...columns.map((column, index) => createCell(texts[index] ?? '', column, index === 0)))
}

function createCell(text: string, column: ShownValue, isFirst: boolean): HTMLElement {
  const content = column.kind === 'badge' && text !== '' ? h('span', { class: 'badge' }, text) : text
  // The host decides how a link is opened, if at all.
  const shown = column.kind === 'link' ? h('a', { href: safeLink(text), target: '_blank', rel: 'noopener' }, text) : content
  const look = { class: column.kind === 'number' || column.kind === 'date' ? column.kind : undefined }
  return isFirst ? h('th', { scope: 'row', ...look }, shown) : h('td', look, shown)
}

const safeLink = (text: string): string | undefined => (/^https?:\/\//i.test(text) ? text : undefined)

function filtered(
  rows: readonly JsonObject[],
  { query, textsOf }: { readonly query: string; readonly textsOf: (row: JsonObject) => readonly string[] },
): readonly JsonObject[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const text = textsOf(row).join('\n').toLocaleLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Sorts by values: numbers by size, texts by the rules of the language. Rows without a value are last. */
function sorted(rows: readonly JsonObject[], { sortedBy, isDescending }: TableState): readonly JsonObject[] {
  if (!sortedBy) return rows
  const { key } = sortedBy
  const order = new Intl.Collator(locale(), { numeric: true })
  const sign = isDescending ? -1 : 1
  const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''
  return [...rows].sort((one, other) => {
    const [a, b] = [one[key], other[key]]
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b))
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : order.compare(String(a), String(b)))
  })
}

function countText(shown: number, all: number): string {
  const [few, most] = [shown.toLocaleString(locale()), all.toLocaleString(locale())]
  if (shown === all) return `${most} ${all === 1 ? 'row' : 'rows'}`
  return `${few} of ${most} rows`
}

function drawPager(
  pager: HTMLElement,
  { pages, page, onPage }: { readonly pages: number; readonly page: number; readonly onPage: (page: number) => void },
): void {
  pager.hidden = pages < 2
  const focused = document.activeElement?.getAttribute('data-to')
  const step = (title: string, to: number): HTMLButtonElement =>
    h('button', { type: 'button', 'data-to': title, disabled: to < 0 || to >= pages, click: () => onPage(to) }, title)
  const of = `Page ${(page + 1).toLocaleString(locale())} of ${pages.toLocaleString(locale())}`
  pager.replaceChildren(step('Previous', page - 1), h('span', {}, of), step('Next', page + 1))
  if (focused) pager.querySelector<HTMLElement>(`[data-to=${focused}]:enabled`)?.focus()
}

function memoized(read: (row: JsonObject) => readonly string[]): (row: JsonObject) => readonly string[] {
  const known = new WeakMap<JsonObject, readonly string[]>()
  return (row) => {
    const texts = known.get(row) ?? read(row)
    known.set(row, texts)
    return texts
  }
}
