/** The page of the preview: the view of a tool, with everything around it under control. */
import { APP_HOSTS, type AppHostName } from '../../apps/host/profiles.ts'
import type { ShownApp } from '../../apps/host/show.ts'
import type { DisplayMode, HostContext } from '../../apps/view/types.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Tool } from '../../protocol/types.ts'
import type { CspViolation } from '../server/violations.ts'
import { drawPreview, TABS } from './preview-markup.ts'
import { createServerClient } from './server-client.ts'
import { type PageEvent, showView } from './show-view.ts'

const root = document.getElementById('root') as HTMLElement
drawPreview(root)
const find = <E extends Element>(selector: string): E => root.querySelector(selector) as E
const field = <E extends HTMLElement = HTMLSelectElement>(name: string): E & { value: string } => find(`[name=${name}]`)
const [element, stage, args] = [find<HTMLElement>('#view'), find<HTMLElement>('.stage'), field<HTMLTextAreaElement>('args')]

const MAX_ROWS = 500
const POLL_INTERVAL_MS = 1000
const client = createServerClient()
let tools: readonly Tool[] = []
let sandbox = ''
let [shown, viewName, count]: [ShownApp | undefined, string, number] = [undefined, '', 0]

/** The methods whose content a model or a user gets. */
const GIVEN = new Set(['ui/message', 'ui/update-model-context', 'ui/open-link', 'ui/download-file'])

function addRow(tab: keyof typeof TABS, { from, title, value }: { from: string; title: string; value: unknown }): void {
  const panel = find<HTMLElement>(`[data-panel=${tab}]`)
  if (panel.childElementCount >= MAX_ROWS) panel.firstElementChild?.remove()
  const [row, summary, who, text] = [
    document.createElement('details'),
    document.createElement('summary'),
    document.createElement('span'),
    document.createElement('pre'),
  ]
  who.textContent = from
  summary.append(who, title)
  text.textContent = JSON.stringify(value, null, 2)
  row.append(summary, text)
  if (tab === 'blocked' || tab === 'errors') row.className = 'bad'
  panel.append(row)
  find(`[data-tab=${tab}]`).textContent = `${TABS[tab]} (${panel.childElementCount})`
}

function clearLog(): void {
  for (const [name, title] of Object.entries(TABS)) {
    find(`[data-panel=${name}]`).replaceChildren()
    find(`[data-tab=${name}]`).textContent = title
  }
}

function take(event: PageEvent): void {
  if (event.type === 'mode') element.dataset.mode = field('mode').value = event.mode
  if (event.type === 'refused') addRow('errors', { from: 'refused', title: event.reason, value: event })
  if (event.type === 'error')
    addRow('errors', { from: 'error', title: String((event.error as Error).message), value: String(event.error) })
  if (event.type !== 'message') return
  const { from, message } = event
  const title = 'method' in message ? message.method : 'error' in message ? 'error' : 'result'
  addRow('messages', { from, title, value: message })
  if ('method' in message && GIVEN.has(message.method)) addRow('given', { from, title, value: message.params })
}

const profileOf = (): AppHostName | undefined => (field('profile').value || undefined) as AppHostName | undefined
const contextOf = (): HostContext => ({
  theme: field('theme').value as 'light' | 'dark',
  locale: field('locale').value,
  displayMode: field('mode').value as DisplayMode,
})

function readArgs(): JsonObject | undefined {
  args.setCustomValidity('')
  try {
    return JSON.parse(args.value || '{}') as JsonObject
  } catch (error) {
    args.setCustomValidity(String(error))
    args.reportValidity()
    return undefined
  }
}

/** Calls the tool and shows its view, as hosts do: the view loads while the tool works. */
async function run(): Promise<void> {
  const [tool, input] = [tools.find(({ name }) => name === field('tool').value), readArgs()]
  if (!tool || !input) return
  clearLog()
  count += 1
  viewName = `view-${count}`
  const current = viewName
  element.dataset.mode = field('mode').value
  const profile = profileOf()
  shown = showView(
    element,
    { tool, input, sandbox: sandbox.replace('VIEW', current), context: contextOf(), ...(profile && { profile }) },
    (event) => current === viewName && take(event),
  )
  const app = shown
  await client.callTool(tool.name, input).then(
    (result) => app.update({ result }),
    (error: unknown) => app.update({ cancelled: String((error as Error).message) }),
  )
}

function adaptToHost(): void {
  const profile = profileOf()
  const {
    container = {},
    displayModes = ['inline', 'fullscreen', 'pip'],
    source = '',
    date = '',
    notes = [],
  } = profile ? APP_HOSTS[profile] : {}
  field('width').value = String(container.width ?? container.maxWidth ?? 720)
  find('[data-note]').textContent = profile ? `Emulated, as of ${date}: ${source}. ${notes.join(' ')}` : ''
  const mode = field('mode')
  for (const option of mode.querySelectorAll('option')) option.disabled = !displayModes.includes(option.value as DisplayMode)
  mode.value = displayModes[0] ?? 'inline'
}

function adaptStage(): void {
  element.style.width = `${field('width').value}px`
  stage.dataset.theme = field('theme').value
}

function openTab(name: string): void {
  for (const tab of root.querySelectorAll<HTMLElement>('[data-tab]')) tab.ariaSelected = String(tab.dataset.tab === name)
  for (const panel of root.querySelectorAll<HTMLElement>('[data-panel]')) panel.hidden = panel.dataset.panel !== name
}

/** Proposes arguments: the defaults and examples of the schema. */
function proposeArgs(): void {
  const schema = tools.find(({ name }) => name === field('tool').value)?.inputSchema as
    | {
        readonly properties?: {
          readonly [name: string]: { default?: unknown; examples?: unknown[]; enum?: unknown[]; type?: unknown }
        }
      }
    | undefined
  const entries = Object.entries(schema?.properties ?? {}).map(([name, one]) => [
    name,
    one.default ?? one.examples?.[0] ?? one.enum?.[0] ?? (one.type === 'string' ? '' : undefined),
  ])
  args.value = JSON.stringify(Object.fromEntries(entries), null, 2)
}

let reported = 0
async function pollViolations(): Promise<void> {
  const all = (await (await fetch('violations')).json()) as { readonly [view: string]: readonly CspViolation[] }
  const own = all[viewName] ?? []
  const rows = find<HTMLElement>('[data-panel=blocked]').childElementCount
  reported = rows === 0 ? 0 : reported
  for (const violation of own.slice(reported))
    addRow('blocked', { from: violation.directive, title: violation.blocked, value: violation })
  reported = own.length
}

root.addEventListener('change', ({ target }) => {
  const { name } = target as HTMLInputElement
  if (name === 'tool') proposeArgs()
  if (name === 'profile') adaptToHost()
  adaptStage()
  if (name === 'theme' || name === 'locale') shown?.update({ context: contextOf() })
  if (name === 'profile' || name === 'mode' || name === 'tool') void run()
})
root.addEventListener('click', ({ target }) => {
  const { tab } = (target as HTMLElement).dataset
  if (tab) openTab(tab)
  if ((target as HTMLElement).className === 'run') void run()
})
openTab('messages')
const start = (await (await fetch('tools')).json()) as { tools: readonly Tool[]; sandbox: string }
tools = start.tools
sandbox = start.sandbox
field('tool').replaceChildren(...tools.map(({ name, title }) => new Option(title ?? name, name)))
proposeArgs()
adaptToHost()
adaptStage()
void run()
setInterval(() => void pollViolations().catch(() => {}), POLL_INTERVAL_MS)
