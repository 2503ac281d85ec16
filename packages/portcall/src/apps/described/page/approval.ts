/** A proposal: its details, and two buttons. */
import type { App } from '../../view/app.ts'
import { readApproval } from '../read-data.ts'
import type { ActionSpec, ApprovalSpec } from '../spec.ts'
import { callTool, tellModel } from './calls.ts'
import { h, locale } from './dom.ts'
import { createStatus } from './status.ts'

/** Draws a proposal. */
export function drawApproval(spec: ApprovalSpec, data: unknown, app: App): HTMLElement {
  const { prompt, details, included } = readApproval(spec, data, locale())
  const status = createStatus()
  const decide = async ({ title, tool }: ActionSpec, isApproved: boolean): Promise<void> => {
    buttons.disabled = true
    const verb = isApproved ? 'approved' : 'denied'
    const text = tool === undefined ? '' : await callTool({ app, status, tool, args: included, done: '' })
    if (text === undefined) {
      buttons.disabled = false
      return
    }
    if (tool === undefined) status.say('quiet', `${title}: nothing was done.`)
    const about = [spec.title, prompt, ...details.map((one) => `${one.title}: ${one.text}`)].filter(Boolean).join('; ')
    await tellModel(app, `The user has ${verb} this. ${about}${text === '' ? '' : `. ${text}`}`)
  }
  const buttons = h(
    'fieldset',
    { class: 'actions' },
    h('legend', { class: 'hidden' }, 'Decision'),
    h(
      'button',
      { type: 'button', class: spec.danger ? 'danger' : 'primary', click: () => decide(spec.approve, true) },
      spec.approve.title,
    ),
    h('button', { type: 'button', click: () => decide(spec.deny, false) }, spec.deny.title),
  )
  return h(
    'section',
    { class: 'approval-view' },
    prompt !== '' && h('p', { class: 'prompt' }, prompt),
    details.length > 0 && h('dl', {}, ...details.map(({ title, text }) => h('div', {}, h('dt', {}, title), h('dd', {}, text)))),
    buttons,
    status.element,
  )
}
