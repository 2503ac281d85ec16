import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, Schema } from '../schema/standard.ts'
import type { Call } from './call.ts'
import type { Awaitable } from './define.ts'
import type { Handler } from './dispatch.ts'
import type { ExtensionMethod } from './extension.ts'
import { OutputError } from './output.ts'

type Serve = (params: never, call: Call) => Awaitable<unknown>

/** Makes the handler of a method of an extension: params in, result out, both checked. */
export function createMethod(definition: ExtensionMethod<Schema | undefined, Schema | undefined>, serve: Serve): Handler {
  const params = definition.params && compileSchema(definition.params, 'input')
  const result = definition.result && compileSchema(definition.result, 'output')
  const hint = definition.cache && { ttlMs: 0, cacheScope: 'private', ...definition.cache }
  return async (call) => {
    const given = call.request.params ?? {}
    const value = await serve((params ? await parseParams(params, given) : given) as never, call)
    if (call.waits) return {}
    return { ...hint, ...(await resultOf(value, result)) }
  }
}

/** Checks the params of a request, without what every request has. */
async function parseParams(
  schema: CompiledSchema,
  { _meta, inputResponses, requestState, ...given }: JsonObject,
): Promise<unknown> {
  const parsed = await schema.parse(given)
  if (!parsed.issues) return parsed.value
  const [first] = parsed.issues
  throw invalidParams(`${first?.path.join('.') || 'params'}: ${first?.message ?? ''}`, { issues: parsed.issues })
}

async function resultOf(given: unknown, schema: CompiledSchema | undefined): Promise<JsonObject> {
  const parsed = schema ? await schema.parse(given) : { value: given }
  if (parsed.issues || !isObject(parsed.value))
    throw new OutputError('The result does not fit the schema of its method, or is no object', parsed.issues)
  return parsed.value
}
