/** The script of the pages of described views: reads the description, connects with the host, and draws each result. */

import type { App } from '../../view/app.ts'
import { connectApp } from '../../view/connect.ts'
import { applyDefaultStyles } from '../../view/default-styles.ts'
import { type DescribedSpec, SPEC_ID } from '../spec.ts'
import { drawApproval } from './approval.ts'
import { drawChart } from './chart.ts'
import { drawChoice } from './choice.ts'
import { h } from './dom.ts'
import { drawForm } from './form.ts'
import { createStatus, textOfContent } from './status.ts'
import { STYLES } from './styles.ts'
import { drawTable } from './table.ts'

const DRAWERS: {
  readonly [Kind in DescribedSpec['kind']]: (spec: Extract<DescribedSpec, { kind: Kind }>, data: unknown, app: App) => HTMLElement
} = {
  table: drawTable,
  chart: drawChart,
  form: drawForm,
  choice: drawChoice,
  approval: drawApproval,
}

const spec = JSON.parse(document.getElementById(SPEC_ID)?.textContent ?? '') as DescribedSpec
const main = h('main')

/** Shows an element below the title, or a message in its place. */
function show(element: HTMLElement): void {
  main.replaceChildren(...(spec.title === undefined ? [] : [h('h1', {}, spec.title)]), element)
}

function showMessage(tone: 'failed' | 'quiet', text: string): void {
  const status = createStatus()
  show(status.element)
  status.say(tone, text)
}

applyDefaultStyles()
document.head.append(h('style', {}, STYLES))
document.body.replaceChildren(main)
showMessage('quiet', 'Loading …')
const app = await connectApp({ name: `portcall-${spec.kind}`, version: '1.0.0' })
app.on('result', ({ isError, content, structuredContent }) => {
  if (isError) return showMessage('failed', textOfContent(content) || 'The tool has failed')
  try {
    const draw = DRAWERS[spec.kind] as (spec: DescribedSpec, data: unknown, app: App) => HTMLElement
    show(draw(spec, structuredContent, app))
  } catch (error) {
    showMessage('failed', `This cannot be shown: ${(error as Error).message}`)
  }
})
app.on('cancelled', ({ reason }) => showMessage('quiet', reason ? `The call was cancelled: ${reason}` : 'The call was cancelled'))
