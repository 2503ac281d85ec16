/** The view of the table: rows are drawn when they are on the screen, and loaded 100 at a time. */
import { type AppTools, applyDefaultStyles, connectApp } from 'portcall/apps'
import type { server } from './trees.ts'

type Row = AppTools<typeof server>['trees']['output']['rows'][number]
const ROW = 40
const PAGE = 100
const COLUMNS: readonly (readonly [keyof Row, string])[] = [
  ['id', 'No.'],
  ['species', 'Species'],
  ['street', 'Street'],
  ['planted', 'Planted'],
  ['height', 'Height'],
]

document.title = 'Trees'
document.documentElement.lang = 'en'
document.body.innerHTML = `
<style>
  main { padding: 12px; display: grid; gap: 12px; }
  header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
  input { flex: 1 1 180px; max-width: 320px; box-sizing: border-box; min-height: 44px; padding: 0 14px; border: 1px solid var(--color-text-tertiary); border-radius: var(--border-radius-md); background: var(--color-background-primary); font-size: 1rem; }
  h1 { margin: 0 auto 0 0; font-size: var(--font-heading-md-size); }
  [role=status] { font-size: var(--font-text-sm-size); color: var(--color-text-secondary); font-variant-numeric: tabular-nums; }
  .table { height: 400px; overflow: auto; border: 1px solid var(--color-border-primary); border-radius: var(--border-radius-md); background: var(--color-background-primary); font-size: var(--font-text-sm-size); overscroll-behavior: contain; }
  .row { display: grid; grid-template-columns: 64px minmax(140px, 2fr) minmax(140px, 2fr) 88px 84px; min-width: 516px; height: ${ROW}px; align-items: center; box-sizing: border-box; border-bottom: 1px solid var(--color-border-secondary); }
  .body .row { position: absolute; left: 0; right: 0; } .body .row:hover { background: var(--color-background-secondary); }
  .body { position: relative; min-width: 516px; }
  .row > * { padding: 0 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .row > :nth-child(1), .row > :nth-child(n + 4) { text-align: right; font-variant-numeric: tabular-nums; }
  .body .row > :first-child { color: var(--color-text-tertiary); }
  .head { position: sticky; top: 0; z-index: 1; background: var(--color-background-secondary); height: 45px; }
  .head > * { padding: 0; height: 100%; }
  button { width: 100%; height: 100%; padding: 0 12px; border: 0; background: none; font-weight: var(--font-weight-medium); text-align: inherit; color: var(--color-text-secondary); cursor: pointer; }
  button:focus-visible { outline-offset: -2px; } [aria-sort=ascending] button::after { content: ' ↑'; } [aria-sort=descending] button::after { content: ' ↓'; }
  @media (max-width: 559px) { .row { grid-template-columns: 48px minmax(0, 2fr) minmax(0, 2fr) 72px 72px; } .row, .body, .body .row { min-width: 420px; } .body .row > *, button { padding: 0 8px; } }
  @media (max-width: 379px) { h1, input { flex-basis: 100%; max-width: none; } .row { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) 72px; } .row, .body, .body .row { min-width: 0; } .row > :nth-child(1), .row > :nth-child(4) { display: none; } }
  [aria-sort=ascending] button, [aria-sort=descending] button { color: var(--color-text-primary); }
</style>
<main>
  <header><h1>Trees</h1><input type="search" aria-label="Search species and streets" placeholder="Search species or street"><div role="status">Loading …</div></header>
  <div class="table" role="table" aria-label="Trees" tabindex="0">
    <div role="rowgroup"><div class="row head" role="row" aria-rowindex="1">${COLUMNS.map(([key, title]) => `<div role="columnheader" data-key="${key}"><button>${title}</button></div>`).join('')}</div></div>
    <div class="body" role="rowgroup"></div>
  </div>
</main>`

applyDefaultStyles()
const find = <E extends Element>(selector: string) => document.querySelector(selector) as E
const [table, body, status, search] = [
  find<HTMLElement>('.table'),
  find<HTMLElement>('.body'),
  find('[role=status]'),
  find<HTMLInputElement>('input'),
]
let query = { search: '', sort: 'id' as keyof Row, descending: false }
let total = 0
let pause: ReturnType<typeof setTimeout> | undefined
let pages = new Map<number, readonly Row[] | 'loading'>()

const app = await connectApp<AppTools<typeof server>>({ name: 'trees', version: '1.0.0' })

/** Loads a page, unless the query changed meanwhile. */
async function load(page: number): Promise<void> {
  const current = pages
  if (current.has(page)) return
  current.set(page, 'loading')
  try {
    const { structuredContent, isError } = await app.call('trees', { ...query, offset: page * PAGE })
    if (isError) throw new Error('the server failed')
    if (current !== pages) return
    current.set(page, structuredContent.rows)
    setTotal(structuredContent.total)
  } catch (error) {
    current.delete(page)
    if (current === pages) status.textContent = `Rows could not be loaded: ${(error as Error).message}`
  }
}

function setTotal(count: number): void {
  total = count
  body.style.height = `${total * ROW}px`
  table.ariaRowCount = String(total + 1)
  status.textContent = `${total.toLocaleString('en')} trees`
  draw()
}

function draw(): void {
  const first = Math.max(0, Math.floor(table.scrollTop / ROW) - 5)
  const last = Math.min(total, first + Math.ceil(table.clientHeight / ROW) + 10)
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, at) => rowOf(first + at))
  body.replaceChildren(...rows)
  clearTimeout(pause)
  pause = setTimeout(() => {
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page += 1) void load(page)
  }, 60)
}

function rowOf(index: number): HTMLElement {
  const page = pages.get(Math.floor(index / PAGE))
  const data = Array.isArray(page) ? (page as readonly Row[])[index % PAGE] : undefined
  const row = document.createElement('div')
  row.className = 'row'
  row.role = 'row'
  row.ariaRowIndex = String(index + 2)
  row.style.top = `${index * ROW}px`
  for (const [key] of COLUMNS) {
    const cell = document.createElement('div')
    cell.role = 'cell'
    cell.textContent = data ? `${data[key]}${key === 'height' ? ' m' : ''}` : '…'
    row.append(cell)
  }
  return row
}

function restart(change: Partial<typeof query>): void {
  query = { ...query, ...change }
  pages = new Map()
  table.scrollTop = 0
  for (const header of document.querySelectorAll<HTMLElement>('[data-key]'))
    header.ariaSort = header.dataset.key === query.sort ? (query.descending ? 'descending' : 'ascending') : 'none'
  void load(0)
}

let frame = 0
table.onscroll = () => {
  cancelAnimationFrame(frame)
  frame = requestAnimationFrame(draw)
}
search.oninput = () => restart({ search: search.value })
find<HTMLElement>('.head').onclick = ({ target }) => {
  const key = (target as Element).closest<HTMLElement>('[data-key]')?.dataset.key as keyof Row | undefined
  if (key) restart({ sort: key, descending: query.sort === key && !query.descending })
}
app.on('result', ({ structuredContent, isError }) => {
  if (isError) return
  pages.set(0, structuredContent.rows)
  setTotal(structuredContent.total)
})
