/** A question: one answer at once, or several with a button. */
import type { App } from '../../view/app.ts'
import { readChoice } from '../read-data.ts'
import type { ChoiceSpec, OptionSpec } from '../spec.ts'
import { answer, callTool, tellModel } from './calls.ts'
import { h, newId } from './dom.ts'
import { createStatus } from './status.ts'

/** Draws a question. */
export function drawChoice(spec: ChoiceSpec, data: unknown, app: App): HTMLElement {
  const { prompt, options, included } = readChoice(spec, data)
  const status = createStatus()
  const answerWith = async (chosen: readonly OptionSpec[]): Promise<void> => {
    const titles = chosen.map(({ title }) => title).join(', ')
    group.disabled = true
    const isAnswered = await send(chosen, titles).catch((error: unknown) => {
      status.say('failed', (error as Error).message)
      return false
    })
    if (!isAnswered) group.disabled = false
    else for (const option of group.querySelectorAll<HTMLElement>('[data-value]')) mark(option, chosen)
  }
  const send = async (chosen: readonly OptionSpec[], titles: string): Promise<boolean> => {
    if (spec.tool === undefined) {
      const isSent = await answer(app, prompt === '' ? titles : `${prompt}\n${titles}`)
      status.say(
        isSent ? 'done' : 'failed',
        isSent ? `You have chosen: ${titles}` : `This host takes no answers here. Write: ${titles}`,
      )
      return isSent
    }
    const values = chosen.map(({ value }) => value)
    const args = { ...included, [spec.argument]: spec.multiple ? values : values[0] }
    const text = await callTool({ app, status, tool: spec.tool, args, done: '' })
    if (text !== undefined) await tellModel(app, `The user has chosen: ${titles}. ${text}`)
    return text !== undefined
  }
  const id = newId()
  const isOne = !spec.multiple
  const boxes = options.map((option) => ({ option, box: h('input', { type: 'checkbox', value: String(option.value) }) }))
  const group = h(
    'fieldset',
    { class: 'choices', ...(prompt !== '' && { 'aria-describedby': id }) },
    h('legend', { class: 'hidden' }, spec.title ?? 'Options'),
    ...(isOne
      ? options.map((option) =>
          h(
            'button',
            { type: 'button', class: 'option', 'data-value': String(option.value), click: () => answerWith([option]) },
            ...labelOf(option),
          ),
        )
      : boxes.map(({ option, box }) =>
          h('label', { class: 'option check', 'data-value': String(option.value) }, box, h('span', {}, ...labelOf(option))),
        )),
    !isOne && h('button', { type: 'button', class: 'primary', click: () => choose() }, spec.submit),
  )
  const choose = (): void => {
    const chosen = boxes.filter(({ box }) => box.checked).map(({ option }) => option)
    if (chosen.length === 0) status.say('failed', 'Choose at least one')
    else void answerWith(chosen)
  }
  return h('section', { class: 'choice-view' }, prompt !== '' && h('p', { id, class: 'prompt' }, prompt), group, status.element)
}

const labelOf = ({ title, description }: OptionSpec): (Node | string)[] => [
  h('strong', {}, title),
  ...(description === undefined ? [] : [h('small', {}, description)]),
]

function mark(option: HTMLElement, chosen: readonly OptionSpec[]): void {
  if (chosen.some(({ value }) => String(value) === option.dataset['value'])) option.classList.add('chosen')
}
