import { compileSchema, type FormRequest } from '../../client.ts'
import type { JsonObject } from '../../jsonrpc.ts'
import { plainLine } from '../show/plain.ts'
import { type Field, fieldOf } from './field.ts'
import { type Prompter, withPrompter } from './prompter.ts'

/** What somebody made of a form: its fields, or that they do not want to fill it in. */
export type Filled = JsonObject | 'decline' | 'cancel'

/** Has a form of a server filled in at the terminal, field by field. Ctrl-D cancels. */
export async function askForm({ message, schema, defaults }: FormRequest, signal: AbortSignal): Promise<Filled> {
  return withPrompter(signal, async (prompter) => {
    prompter.say(`The server asks: ${plainLine(message)}`)
    const content: JsonObject = {}
    for (const [name, property] of Object.entries(schema.properties)) {
      const isRequired = schema.required?.includes(name) ?? false
      const value = await askField(prompter, { ...fieldOf(name, property), isRequired, preset: defaults[name] })
      if (value === ENDED) return 'cancel'
      if (value !== undefined) content[name] = value
    }
    return decide(prompter, content)
  })
}

const ENDED = Symbol('ended')

type Asked = Field & { readonly isRequired: boolean; readonly preset: unknown }

/** Asks until the answer fits. An empty one is the default, or leaves the field out where that is allowed. */
async function askField(prompter: Prompter, field: Asked): Promise<unknown> {
  const { label, choices, hint, isRequired, preset, read, schema } = field
  const check = compileSchema(schema, 'input', { trusted: false })
  for (const [index, choice] of choices.entries()) prompter.say(`  ${index + 1}) ${plainLine(choice)}`)
  const notes = [hint, preset === undefined ? (isRequired ? 'required' : 'may be empty') : `default ${JSON.stringify(preset)}`]
  while (true) {
    const line = await prompter.ask(
      `  ${plainLine(label)} (${notes
        .filter(Boolean)
        .map((note) => plainLine(String(note)))
        .join(', ')}):`,
    )
    if (line === undefined) return ENDED
    if (line.trim() === '') {
      if (preset !== undefined || !isRequired) return preset
      continue
    }
    const value = read(line.trim())
    const { issues } = await check.parse(value)
    if (!issues) return value
    prompter.say(`  ${issues.map((issue) => issue.message).join('; ')}`)
  }
}

async function decide(prompter: Prompter, content: JsonObject): Promise<Filled> {
  while (true) {
    const line = await prompter.ask('Send this? yes, no or cancel [yes]:')
    if (line === undefined) return 'cancel'
    const word = line.trim().toLowerCase()
    if (word === '' || /^y(es)?$/.test(word)) return content
    if (/^no?$/.test(word)) return 'decline'
    if (/^c(ancel)?$/.test(word)) return 'cancel'
  }
}
