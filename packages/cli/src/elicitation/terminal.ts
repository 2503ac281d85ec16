import { createInterface } from 'node:readline/promises'
import { compileSchema, type FormRequest, type UrlRequest } from 'portcall/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { sanitize, sanitizeLine } from '../../../util/src/printable.ts'
import { convert } from '../arguments.ts'
import { typesOf } from '../schema-types.ts'

/** Prompts on the terminal. Writes to stderr, because stdout is for data. */
interface Prompter {
  print(text: string): void
  /** Resolves to a line of input, or to `undefined` at its end (Ctrl-D). Rejects when the signal is aborted. */
  ask(question: string): Promise<string | undefined>
}

const CLEAR_LINE = '\r\u001b[K'

async function withPrompter<T>(signal: AbortSignal, use: (prompter: Prompter) => Promise<T>): Promise<T> {
  const { stdin, stderr } = process
  stderr.write(CLEAR_LINE)
  const readline = createInterface({ input: stdin, output: stderr, terminal: true })
  const closed = new Promise<undefined>((resolve) => readline.once('close', () => resolve(undefined)))
  readline.on('SIGINT', () => process.emit('SIGINT'))
  try {
    return await use({
      print: (text) => void stderr.write(`${sanitize(text)}\n`),
      ask: (question) => Promise.race([readline.question(`${sanitize(question)} `, { signal }), closed]),
    })
  } finally {
    readline.close()
  }
}

/** Shows the URL of an elicitation and asks for consent. Does not open the URL. */
export function promptUrl({ message, url }: UrlRequest, signal: AbortSignal): Promise<'accept' | 'decline' | 'cancel'> {
  return withPrompter(signal, async (prompter) => {
    prompter.print(`The server asks you to open a URL: ${sanitizeLine(message)}\n  ${sanitizeLine(url)}`)
    const line = await prompter.ask('Do you agree to open it? yes or no [no]:')
    if (line === undefined) return 'cancel'
    return /^y(es)?$/i.test(line.trim()) ? 'accept' : 'decline'
  })
}

/** The content of a form, or the action of a user who did not submit it. */
type FormOutcome = JsonObject | 'decline' | 'cancel'

/** Prompts for each field of a form. Ctrl-D cancels. */
export function promptForm({ message, schema, defaults }: FormRequest, signal: AbortSignal): Promise<FormOutcome> {
  return withPrompter(signal, async (prompter) => {
    prompter.print(`The server requests input: ${sanitizeLine(message)}`)
    const content: JsonObject = {}
    for (const [name, property] of Object.entries(schema.properties)) {
      const isRequired = schema.required?.includes(name) ?? false
      const value = await promptField(prompter, { ...fieldOf(name, property), isRequired, preset: defaults[name] })
      if (value === END_OF_INPUT) return 'cancel'
      if (value !== undefined) content[name] = value
    }
    return confirm(prompter, content)
  })
}

const END_OF_INPUT = Symbol('end of input')

type PromptedField = Field & { readonly isRequired: boolean; readonly preset: unknown }

/** Asks until the value is valid. An empty line stands for the default, or leaves out an optional field. */
async function promptField(prompter: Prompter, field: PromptedField): Promise<unknown> {
  const { label, choices, hint, isRequired, preset, read, schema } = field
  const validator = compileSchema(schema, 'input', { trusted: false })
  for (const [index, choice] of choices.entries()) prompter.print(`  ${index + 1}) ${sanitizeLine(choice)}`)
  const presence = preset === undefined ? (isRequired ? 'required' : 'optional') : `default ${JSON.stringify(preset)}`
  const notes = [hint, presence].filter(Boolean).map((text) => sanitizeLine(String(text)))
  while (true) {
    const line = await prompter.ask(`  ${sanitizeLine(label)} (${notes.join(', ')}):`)
    if (line === undefined) return END_OF_INPUT
    if (line.trim() === '') {
      if (preset !== undefined || !isRequired) return preset
      continue
    }
    const value = read(line.trim())
    const { issues } = await validator.parse(value)
    if (!issues) return value
    prompter.print(`  ${issues.map((issue) => issue.message).join('; ')}`)
  }
}

async function confirm(prompter: Prompter, content: JsonObject): Promise<FormOutcome> {
  while (true) {
    const line = await prompter.ask('Submit? yes, no or cancel [yes]:')
    if (line === undefined) return 'cancel'
    const reply = line.trim().toLowerCase()
    if (reply === '' || /^y(es)?$/.test(reply)) return content
    if (/^no?$/.test(reply)) return 'decline'
    if (/^c(ancel)?$/.test(reply)) return 'cancel'
  }
}

/** A form field, as it is shown on a terminal. */
interface Field {
  readonly label: string
  readonly hint: string
  /** The labels of the values to choose from; empty if any text can be entered. */
  readonly choices: readonly string[]
  readonly schema: JsonObject
  /** Converts a line to a value, which may be invalid. */
  read(line: string): unknown
}

function fieldOf(name: string, property: object): Field {
  const schema = { ...property } as JsonObject
  const { title, description } = schema
  const label = [typeof title === 'string' ? title : name, typeof description === 'string' ? `– ${description}` : '']
    .join(' ')
    .trim()
  const isArray = schema.type === 'array'
  const choices = choicesOf(isArray && isObject(schema.items) ? schema.items : schema)
  if (choices.length > 0) {
    const select = (line: string): string => choices[Number(line) - 1]?.value ?? line
    return {
      label,
      schema,
      hint: isArray ? 'numbers from the list, separated by commas' : 'a number from the list',
      choices: choices.map((choice) => choice.label),
      read: isArray ? (line) => line.split(',').map((item) => select(item.trim())) : select,
    }
  }
  return { label, schema, hint: hintOf(schema), choices: [], read: (line) => readText(line, schema) }
}

function readText(line: string, schema: JsonObject): unknown {
  if (schema.type !== 'boolean') return convert(line, typesOf(schema, schema))
  if (/^(y|yes|true)$/i.test(line)) return true
  return /^(n|no|false)$/i.test(line) ? false : line
}

interface Choice {
  readonly value: string
  readonly label: string
}

function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): Choice[] {
  const titled = oneOf ?? anyOf
  if (Array.isArray(titled))
    return titled.filter(isObject).map((option) => ({ value: String(option.const), label: String(option.title ?? option.const) }))
  if (!Array.isArray(values)) return []
  return values.map((value, index) => ({
    value: String(value),
    label: String(Array.isArray(enumNames) ? enumNames[index] : value),
  }))
}

function hintOf({ type, format, minimum, maximum }: JsonObject): string {
  if (type === 'boolean') return 'yes or no'
  const range = [minimum !== undefined && `from ${minimum}`, maximum !== undefined && `to ${maximum}`].filter(Boolean).join(' ')
  const kind = type === 'integer' ? 'an integer' : type === 'number' ? 'a number' : typeof format === 'string' ? format : 'text'
  return range === '' ? kind : `${kind} ${range}`
}
