import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, Schema } from '../schema/standard.ts'
import type { CallContext } from './call.ts'
import type { Complete, Described, PromptHandler } from './define.ts'
import { isVisible, type Listed } from './lists.ts'
import { isBlock, OutputError, text } from './output.ts'
import type { Registry } from './registry.ts'
import { demandScopes } from './scopes.ts'
import { present } from './tools.ts'

export interface AnyPromptDefinition extends Described {
  arguments?: Schema
  complete?: { [name: string]: Complete | undefined }
}

export interface PromptEntry extends Listed<AnyPromptDefinition> {
  readonly wire: Prompt
  readonly handler: PromptHandler<Schema | undefined>
  readonly arguments: CompiledSchema | undefined
}

export type PromptRegistry = Registry<AnyPromptDefinition, PromptEntry>

/** Compiles a prompt. @throws SchemaError when the schema of its arguments cannot be used. */
export function createPrompt(
  name: string,
  definition: AnyPromptDefinition,
  handler: PromptHandler<Schema | undefined>,
): PromptEntry {
  if (name === '') throw new Error('A prompt needs a name')
  const { title, description, icons, _meta } = definition
  const compiled = definition.arguments && compileSchema(definition.arguments, 'input')
  const wire = { name, ...present({ title, description, arguments: compiled && listArguments(compiled.json), icons, _meta }) }
  return { definition, handler, wire, arguments: compiled, enabled: true, order: 0 }
}

function listArguments({ properties, required }: JsonObject): PromptArgument[] {
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { title, description } = isObject(schema) ? schema : {}
    return { name, ...present({ title, description }), required: needed.has(name) }
  })
}

/** Makes the handler of `prompts/get`. */
export function createGetPrompt(prompts: PromptRegistry): (call: CallContext) => Promise<GetPromptResult> {
  return async (call) => {
    const { name, arguments: given } = call.request.params ?? {}
    if (typeof name !== 'string') throw invalidParams('name has to be a string')
    const args = given ?? {}
    if (!isObject(args)) throw invalidParams('arguments has to be an object')
    const prompt = prompts.get(name)
    if (!prompt || !(await isVisible(prompt, call))) throw invalidParams(`Unknown prompt: ${name.slice(0, 128)}`)
    demandScopes([prompt], call)
    const parsed = prompt.arguments ? await prompt.arguments.parse(args) : { value: args }
    if (parsed.issues)
      throw invalidParams(
        `the arguments do not fit: ${parsed.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
        { issues: parsed.issues },
      )
    const value = await prompt.handler(parsed.value as never, call)
    if (call.waits) return NOT_YET
    return promptResult(value, prompt.definition.description)
  }
}

/** Stands for the result of a handler that caught its own suspension: nobody sees it. */
const NOT_YET: GetPromptResult = { messages: [] }

function promptResult(value: unknown, description: string | undefined): GetPromptResult {
  if (isObject(value) && Array.isArray(value.messages)) return value as unknown as GetPromptResult
  const messages = (Array.isArray(value) ? value : [value]).map(toMessage)
  return description === undefined ? { messages } : { description, messages }
}

function toMessage(value: unknown): PromptMessage {
  if (typeof value === 'string') return { role: 'user', content: text(value) }
  if (isBlock(value)) return { role: 'user', content: value }
  if (isObject(value) && (value.role === 'user' || value.role === 'assistant') && isBlock(value.content))
    return value as unknown as PromptMessage
  throw new OutputError('A prompt returns a string, a content block, messages or a result with `messages`')
}
