import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams, unknownItem } from '../../protocol/errors.ts'
import type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../../protocol/types.ts'
import type { CompiledSchema, Schema } from '../../schema/standard.ts'
import type { CallContext } from '../call.ts'
import { type BaseDefinition, type Completer, isContentBlock, type PromptHandler } from '../definitions.ts'
import { InvalidOutputError } from '../errors.ts'
import { checkAccess } from './access.ts'
import { checkCompleters } from './check-completers.ts'
import { compileMember } from './compile-member.ts'
import { createEntry, omitUndefined, type Registry, type RegistryEntry } from './registry.ts'

export interface AnyPromptDefinition extends BaseDefinition {
  arguments?: Schema
  complete?: { [name: string]: Completer | undefined }
}

export interface PromptEntry extends RegistryEntry<AnyPromptDefinition, Prompt> {
  readonly handler: PromptHandler<Schema | undefined>
  readonly arguments: CompiledSchema | undefined
}

export type PromptRegistry = Registry<AnyPromptDefinition, PromptEntry>

/** @throws SchemaError when the schema of the arguments is invalid or not supported. */
export function createPrompt(
  name: string,
  definition: AnyPromptDefinition,
  handler: PromptHandler<Schema | undefined>,
): PromptEntry {
  const { title, description, icons, _meta } = definition
  const compiled = compileMember(`arguments of the prompt ${JSON.stringify(name)}`, definition.arguments)
  const listing = { name, title, description, arguments: compiled && listArguments(compiled.json), icons, _meta }
  checkCompleters(
    `server.prompt(${JSON.stringify(name)})`,
    definition.complete,
    listing.arguments?.map((argument) => argument.name) ?? [],
  )
  return { ...createEntry<AnyPromptDefinition, Prompt>(definition, listing as Prompt), handler, arguments: compiled }
}

function listArguments({ properties, required }: JsonObject): PromptArgument[] {
  const requiredNames = new Set(Array.isArray(required) ? required : [])
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { title, description } = isObject(schema) ? schema : {}
    return { name, ...omitUndefined<JsonObject>({ title, description }), required: requiredNames.has(name) }
  })
}

/** Creates the handler of `prompts/get`. */
export function createGetPrompt(prompts: PromptRegistry): (call: CallContext) => Promise<GetPromptResult> {
  return async (call) => {
    const { name, arguments: input } = call.request.params ?? {}
    const args = input ?? {}
    if (typeof name !== 'string') throw invalidParams('name must be a string')
    if (!isObject(args)) throw invalidParams('arguments must be an object')
    const prompt = prompts.get(name)
    if (!prompt || !(await checkAccess(prompt, call))) throw unknownItem('prompt', name)
    const parsed = prompt.arguments ? await prompt.arguments.parse(args) : { value: {} }
    if (parsed.issues) {
      const reasons = parsed.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
      throw invalidParams(`invalid arguments: ${reasons.join('; ')}`, { issues: parsed.issues })
    }
    const value = await prompt.handler(parsed.value as never, call)
    if (call.isSuspended) return SUSPENDED
    return promptResult(value, prompt.definition.description)
  }
}

/** The result of a handler that caught its own suspension. It is not sent. */
const SUSPENDED: GetPromptResult = { messages: [] }

function promptResult(value: unknown, description: string | undefined): GetPromptResult {
  if (isObject(value) && Array.isArray(value.messages)) return value as unknown as GetPromptResult
  const messages = (Array.isArray(value) ? value : [value]).map(toMessage)
  return description === undefined ? { messages } : { description, messages }
}

function toMessage(value: unknown): PromptMessage {
  if (typeof value === 'string') return { role: 'user', content: { type: 'text', text: value } }
  if (isContentBlock(value)) return { role: 'user', content: value }
  if (isObject(value) && (value.role === 'user' || value.role === 'assistant') && isContentBlock(value.content))
    return value as unknown as PromptMessage
  throw new InvalidOutputError('A prompt must return a string, a content block, messages or a result with `messages`')
}
