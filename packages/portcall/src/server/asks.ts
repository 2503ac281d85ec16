import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { applyDefaults, checkContent, type ElicitationSchema, toElicitationSchema } from '../protocol/elicitation.ts'
import { missingClientCapability } from '../protocol/errors.ts'
import type { ClientCapabilities, CreateMessageParams, CreateMessageResult, InputRequest, Root } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, Schema } from '../schema/standard.ts'
import { Declined } from './errors.ts'
import type { Rounds } from './rounds.ts'
import { checkSampling } from './sampling.ts'

interface Question {
  key: string | undefined
}

interface Form {
  schema: CompiledSchema
  requestedSchema: ElicitationSchema
}

const forms = new WeakMap<object, Form>()

function formOf(schema: Schema): Form {
  let form = forms.get(schema)
  if (!form) {
    const compiled = compileSchema(schema, 'input')
    form = { schema: compiled, requestedSchema: toElicitationSchema(compiled.json) }
    forms.set(schema, form)
  }
  return form
}

/** Asks the user to fill in a form; an answer that does not fit the schema is asked for again. */
export async function askForm(
  rounds: Rounds,
  capabilities: ClientCapabilities,
  { message, schema, key: given }: Question & { message: string; schema: Schema },
): Promise<unknown> {
  const { elicitation } = capabilities
  if (!elicitation || (elicitation.url && !elicitation.form)) throw missingClientCapability({ elicitation: { form: {} } })
  const form = formOf(schema)
  const key = rounds.key('elicit', given)
  const question: InputRequest = {
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: form.requestedSchema },
  }
  const answer = rounds.answer(key, question)
  if (answer && accepted(answer) && isObject(answer.content)) {
    const content = applyDefaults(form.requestedSchema, answer.content)
    if (checkContent(form.requestedSchema, content).length === 0) {
      const pending = form.schema.parse(content)
      const parsed = pending instanceof Promise ? await pending : pending
      if (!parsed.issues) return parsed.value
    }
  }
  return rounds.ask(key, question)
}

/** Asks the user to open a URL. */
export async function askUrl(
  rounds: Rounds,
  capabilities: ClientCapabilities,
  { message, url, key: given }: Question & { message: string; url: string },
): Promise<void> {
  if (!capabilities.elicitation?.url) throw missingClientCapability({ elicitation: { url: {} } })
  const key = rounds.key('elicit-url', given)
  const question: InputRequest = { method: 'elicitation/create', params: { mode: 'url', message, url: new URL(url).href } }
  const answer = rounds.answer(key, question)
  if (!answer || !accepted(answer)) rounds.ask(key, question)
}

/** Asks the client's model. */
export async function askSample(
  rounds: Rounds,
  capabilities: ClientCapabilities,
  { params, key: given }: Question & { params: CreateMessageParams },
): Promise<CreateMessageResult> {
  checkSampling(params)
  const required = samplingNeeds(params)
  const { sampling } = capabilities
  if (!sampling || (required.tools && !sampling.tools) || (required.context && !sampling.context))
    throw missingClientCapability({ sampling: required })
  const key = rounds.key('sample', given)
  const question: InputRequest = { method: 'sampling/createMessage', params: { ...params } }
  const answer = rounds.answer(key, question)
  return isSample(answer) ? answer : rounds.ask(key, question)
}

/** Asks for the folders that the client works on. */
export async function askRoots(rounds: Rounds, capabilities: ClientCapabilities, { key: given }: Question): Promise<Root[]> {
  if (!capabilities.roots) throw missingClientCapability({ roots: {} })
  const key = rounds.key('roots', given)
  const question: InputRequest = { method: 'roots/list', params: {} }
  const answer = rounds.answer(key, question)
  return Array.isArray(answer?.roots) ? (answer.roots as Root[]) : rounds.ask(key, question)
}

/** Tells whether the user said yes; throws when the user said no; anything else is no answer. */
function accepted(answer: JsonObject): boolean {
  if (answer.action === 'decline' || answer.action === 'cancel') throw new Declined(answer.action)
  return answer.action === 'accept'
}

function samplingNeeds({ tools, toolChoice, includeContext }: CreateMessageParams): { tools?: JsonObject; context?: JsonObject } {
  return {
    ...(tools || toolChoice ? { tools: {} } : {}),
    ...(includeContext && includeContext !== 'none' ? { context: {} } : {}),
  }
}

function isSample(answer: JsonObject | undefined): answer is JsonObject & CreateMessageResult {
  return (
    answer !== undefined &&
    (answer.role === 'assistant' || answer.role === 'user') &&
    isObjectOrArray(answer.content) &&
    typeof answer.model === 'string'
  )
}

function isObjectOrArray(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
