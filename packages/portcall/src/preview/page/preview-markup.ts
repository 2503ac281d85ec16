/** The elements and styles of the preview. */
import { APP_HOSTS } from '../../apps/host/profiles.ts'

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; --line: light-dark(#dcdce0, #3a3a40); --soft: light-dark(#f4f4f6, #232327); --quiet: light-dark(#5c5c66, #a5a5b0); --accent: light-dark(#1d4ed8, #8fb4ff); }
* { box-sizing: border-box; } html, body, #root { height: 100%; } body { margin: 0; }
#root { display: grid; grid-template-columns: 300px minmax(0, 1fr); }
aside { border-right: 1px solid var(--line); padding: 20px; display: grid; gap: 14px; align-content: start; overflow: auto; background: var(--soft); }
main { display: grid; grid-template-rows: minmax(0, 1fr) 280px; min-width: 0; }
h1 { font-size: 16px; margin: 0; } label { display: grid; gap: 4px; font-size: 12px; font-weight: 600; color: var(--quiet); }
select, input, textarea, button { font: inherit; font-size: 14px; font-weight: 400; color: CanvasText; padding: 8px 10px; border: 1px solid var(--line); border-radius: 8px; background: Canvas; width: 100%; min-height: 38px; }
textarea { font: 12px/1.5 ui-monospace, monospace; min-height: 130px; resize: vertical; } textarea:invalid { border-color: #d33; }
button { cursor: pointer; font-weight: 600 !important; } .run { background: var(--accent); color: Canvas !important; border-color: transparent; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; } .note:empty { display: none; } .note { font-size: 12px; color: var(--quiet); margin: 0; }
.stage { overflow: auto; padding: 28px; background-color: #fff; } .stage[data-theme=dark] { background-color: #1c1c1f; color-scheme: dark; }
#view { margin: 0 auto; outline: 1px dashed light-dark(#c9c9d1, #4a4a52); outline-offset: 6px; max-width: none; min-height: 40px; }
#view[data-mode=fullscreen] iframe { height: calc(100vh - 340px) !important; } #view [role=alert] { padding: 12px; margin: 0; color: #b42318; background: #fef3f2; border-radius: 8px; font: 14px/1.5 system-ui; }
.log { border-top: 1px solid var(--line); display: grid; grid-template-rows: auto minmax(0, 1fr); background: Canvas; }
.tabs { display: flex; gap: 4px; padding: 8px 12px 0; } .tabs button { width: auto; border: 0; background: none; border-bottom: 2px solid transparent; border-radius: 0; color: var(--quiet); } .tabs [aria-selected=true] { color: inherit; border-color: var(--accent); }
.panel { overflow: auto; padding: 8px 16px; } .panel[hidden] { display: none; }
details { border-bottom: 1px solid var(--line); } summary { padding: 5px 0; cursor: pointer; font: 12px/1.5 ui-monospace, monospace; } summary span { color: var(--quiet); display: inline-block; width: 74px; } pre { margin: 0 0 8px 18px; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
.bad { color: light-dark(#b42318, #ff9a8f); } :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
@media (max-width: 760px) { #root { grid-template-columns: 1fr; height: auto; } main { grid-template-rows: auto auto; } aside { border-right: 0; border-bottom: 1px solid var(--line); } }`

const option = (value: string, text = value): string => `<option value="${value}">${text}</option>`
const hosts = Object.entries(APP_HOSTS).map(([name, { title }]) => option(name, title))

/** The tabs of the log, by their names. */
export const TABS = { messages: 'Messages', blocked: 'Blocked', given: 'For the model', errors: 'Errors' } as const

/** Fills the page. */
export function drawPreview(root: HTMLElement): void {
  const tabs = Object.entries(TABS)
  root.innerHTML = `<style>${STYLE}</style>
<aside><h1>Preview of views</h1>
<label>Tool<select name="tool"></select></label>
<label>Arguments, as JSON<textarea name="args" spellcheck="false"></textarea></label>
<button class="run">Call the tool</button>
<label>Host<select name="profile">${option('', 'None (specification)')}${hosts.join('')}</select></label>
<p class="note" data-note></p>
<div class="pair"><label>Theme<select name="theme">${option('light', 'Light')}${option('dark', 'Dark')}</select></label>
<label>Width, px<input name="width" type="number" min="200" max="2000" step="10"></label></div>
<div class="pair"><label>Language<input name="locale" value="en-US"></label>
<label>Mode<select name="mode">${['inline', 'fullscreen', 'pip'].map((mode) => option(mode)).join('')}</select></label></div>
</aside>
<main><div class="stage"><div id="view"></div></div>
<section class="log"><div class="tabs" role="tablist">${tabs.map(([name, title]) => `<button role="tab" data-tab="${name}">${title}</button>`).join('')}</div>
${tabs.map(([name]) => `<div class="panel" role="tabpanel" data-panel="${name}"></div>`).join('')}</section></main>`
}
