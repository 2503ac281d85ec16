/** A form, which calls a tool with what a person has entered. */
import type { App } from '../../view/app.ts'
import type { FormSpec } from '../spec.ts'
import { dataOf } from '../values.ts'
import { callTool, tellModel } from './calls.ts'
import { h } from './dom.ts'
import { createField } from './field.ts'
import { createStatus } from './status.ts'

/** Draws a form. The data of the result are the values that it starts with. */
export function drawForm(spec: FormSpec, data: unknown, app: App): HTMLElement {
  const values = dataOf(data)
  const status = createStatus()
  const start = ({ name, default: usual }: FormSpec['fields'][number]): unknown => values[name] ?? usual
  const fields = spec.fields.filter(({ hidden }) => !hidden).map((field) => createField(field, start(field)))
  const kept = spec.fields
    .filter((field) => field.hidden && start(field) !== undefined)
    .map((field) => [field.name, start(field)])
  const send = async (): Promise<void> => {
    const wrong = fields.filter((field) => !field.check())
    if (wrong.length > 0) {
      status.say('failed', wrong.length === 1 ? 'One field is not right yet' : `${wrong.length} fields are not right yet`)
      return wrong[0]?.focus()
    }
    const entered = fields.map((field) => [field.spec.name, field.read()] as const).filter(([, value]) => value !== undefined)
    const args = Object.fromEntries([...kept, ...entered])
    group.disabled = true
    const text = await callTool({ app, status, tool: spec.tool, args, done: spec.done ?? '' })
    if (text === undefined) {
      group.disabled = false
      return
    }
    await tellModel(
      app,
      `The user has filled in the form${spec.title === undefined ? '' : ` "${spec.title}"`}: ${JSON.stringify(args)}. ${text}`,
    )
  }
  // Some hosts let no form submit, so the button does it.
  const group = h(
    'fieldset',
    { class: 'fields' },
    h('legend', { class: 'hidden' }, spec.title ?? 'Form'),
    ...fields.map(({ element }) => element),
    h('button', { type: 'button', class: 'primary', click: () => send() }, spec.submit),
  )
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    void send()
  }
  return h('section', { class: 'form-view', keydown: onKey }, group, status.element)
}
