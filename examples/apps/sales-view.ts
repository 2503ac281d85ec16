/** The view of the chart: bars, and two filters that call the tool again. */
import { type AppTools, applyDefaultStyles, connectApp } from 'portcall/apps'
import type { server } from './sales.ts'

type Tools = AppTools<typeof server>

document.title = 'Sales'
document.documentElement.lang = 'en'
document.body.innerHTML = `
<style>
  main { padding: 16px; display: grid; gap: 16px; }
  header { display: flex; flex-wrap: wrap; gap: 12px 24px; align-items: end; justify-content: space-between; }
  h1 { margin: 0; font-size: var(--font-text-sm-size); font-weight: var(--font-weight-medium); color: var(--color-text-secondary); }
  .total { font-size: var(--font-heading-2xl-size); line-height: 1.1; font-weight: var(--font-weight-semibold); letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
  .change { font-size: var(--font-text-sm-size); font-weight: var(--font-weight-medium); color: var(--color-text-success); }
  .change.down { color: var(--color-text-danger); }
  form { display: flex; flex-wrap: wrap; gap: 8px; }
  select, .regions { min-height: 52px; box-sizing: border-box; border: 1px solid var(--color-border-primary); border-radius: var(--border-radius-md); background: var(--color-background-primary); }
  select { padding: 0 12px; font-size: var(--font-text-sm-size); color: var(--color-text-primary); }
  .regions { display: flex; margin: 0; padding: 3px; gap: 2px; }
  .regions label { position: relative; display: grid; place-items: center; min-width: 44px; min-height: 44px; box-sizing: border-box; padding: 0 12px; border-radius: var(--border-radius-sm); font-size: var(--font-text-sm-size); color: var(--color-text-secondary); cursor: pointer; }
  .regions input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
  .regions label:has(:checked) { background: var(--color-background-inverse); color: var(--color-text-inverse); }
  .regions label:has(:focus-visible) { outline: 2px solid var(--color-ring-primary); outline-offset: 2px; }
  ol { list-style: none; margin: 0; padding: 0; height: 200px; display: grid; grid-template-columns: repeat(12, 1fr); gap: clamp(3px, 1.5vw, 12px); transition: opacity 0.15s; }
  ol[aria-busy=true] { opacity: 0.5; }
  li { display: grid; grid-template-rows: 1fr auto; gap: 6px; text-align: center; font-size: var(--font-text-xs-size); color: var(--color-text-secondary); }
  .column { display: flex; flex-direction: column; justify-content: end; border-bottom: 1px solid var(--color-border-primary); }
  .bar { height: calc(var(--part) * 164px); min-height: 2px; border-radius: var(--border-radius-sm) var(--border-radius-sm) 0 0; background: light-dark(#2f6fde, #6ea3ff); transition: height 0.25s ease-out; }
  li.best .bar { background: light-dark(#17408f, #b5d0ff); }
  .value { font-variant-numeric: tabular-nums; padding-bottom: 3px; }
  .long { display: inline; }
  [role=status]:not(:empty) { padding: 10px 12px; border-radius: var(--border-radius-md); font-size: var(--font-text-sm-size); color: var(--color-text-danger); background: var(--color-background-danger); }
  @media (max-width: 479px) { .long { position: absolute; clip-path: inset(50%); } .regions { flex: 1; } .regions label { flex: 1 auto; padding: 0 2px; } .value { font-size: 0.65rem; } }
  @media (max-width: 359px) { form { flex: 1; } select, .regions { flex: 1 0 100%; } }
  @media (prefers-reduced-motion: reduce) { .bar, ol { transition: none; } }
</style>
<main>
  <header>
    <div><h1></h1><div class="total">…</div><div class="change"></div></div>
    <form aria-label="Filters">
      <select name="year" aria-label="Year">${[2026, 2025, 2024, 2023, 2022].map((year) => `<option>${year}</option>`).join('')}</select>
      <div class="regions" role="radiogroup" aria-label="Region">${['All', 'North', 'South', 'West'].map((name) => `<label><input type="radio" name="region" value="${name}">${name}</label>`).join('')}</div>
    </form>
  </header>
  <ol></ol>
  <div role="status"></div>
</main>`

const find = <E extends Element>(selector: string) => document.querySelector(selector) as E
const [form, chart, status] = [find<HTMLFormElement>('form'), find<HTMLElement>('ol'), find<HTMLElement>('[role=status]')]
const euros = (thousands: number) => `€${thousands.toLocaleString('en')} K`

function draw({ year, region, months, previous }: Tools['sales']['output']): void {
  const sales = months.map((month) => month.sales)
  const [most, total] = [Math.max(...sales, 1), sales.reduce((sum, value) => sum + value, 0)]
  const change = Math.round((total / previous - 1) * 100)
  find('h1').textContent = `Sales ${year}${region === 'All' ? '' : `, ${region}`}`
  find('.total').textContent = euros(total)
  find('.change').textContent = `${change < 0 ? '▼' : '▲'} ${Math.abs(change)} % against ${year - 1}`
  find('.change').classList.toggle('down', change < 0)
  find<HTMLSelectElement>('select').value = String(year)
  find<HTMLInputElement>(`[value=${region}]`).checked = true
  chart.replaceChildren(
    ...months.map(({ month, sales }) => {
      const item = document.createElement('li')
      item.className = sales === most ? 'best' : ''
      item.innerHTML = `<div class="column"><span class="value">${sales}</span><div class="bar" style="--part: ${sales / most}"></div></div><span>${month[0]}<span class="long">${month.slice(1)}</span></span>`
      return item
    }),
  )
}

applyDefaultStyles()
const app = await connectApp<Tools>({ name: 'sales', version: '1.0.0' })
app.on('result', ({ structuredContent }) => draw(structuredContent))

let last: AbortController | undefined
form.onchange = async () => {
  last?.abort()
  const current = new AbortController()
  last = current
  const { year, region } = Object.fromEntries(new FormData(form)) as { year: string; region: 'All' }
  chart.ariaBusy = 'true'
  status.textContent = ''
  try {
    const { structuredContent, isError } = await app.call('sales', { year: Number(year), region }, { signal: current.signal })
    if (isError) throw new Error('The sales could not be loaded')
    draw(structuredContent)
    if (app.capabilities.updateModelContext) await app.updateContext(`The user looks at the sales of ${year}, region: ${region}`)
  } catch (error) {
    if (!current.signal.aborted) status.textContent = (error as Error).message
  } finally {
    if (last === current) chart.ariaBusy = 'false'
  }
}
