import { oncePer } from '../../../../util/src/once-per.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { applyDefaults, checkContent, type ElicitationSchema, toElicitationSchema } from '../../protocol/elicitation.ts'
import { missingClientCapability } from '../../protocol/errors.ts'
import type { CreateMessageParams, CreateMessageResult, InputRequest, Root } from '../../protocol/input-types.ts'
import type { ClientCapabilities } from '../../protocol/types.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { CompiledSchema, Schema } from '../../schema/standard.ts'
import { ElicitationDeclinedError } from '../errors.ts'
import type { RoundTrips } from './round-trips.ts'
import { checkSampling } from './sampling.ts'

interface Keyed {
  key: string | undefined
}

interface Form {
  schema: CompiledSchema
  requestedSchema: ElicitationSchema
}

const formOf = oncePer((schema: Schema): Form => {
  const compiled = compileSchema(schema, 'form')
  return { schema: compiled, requestedSchema: toElicitationSchema(compiled.json) }
})

/** Requests form elicitation. Content that does not match the schema is requested again. */
export async function elicitForm(
  roundTrips: RoundTrips,
  capabilities: ClientCapabilities,
  { message, schema, ...options }: Keyed & { message: string; schema: Schema },
): Promise<unknown> {
  const { elicitation } = capabilities
  if (!elicitation || (elicitation.url && !elicitation.form)) throw missingClientCapability({ elicitation: { form: {} } })
  const { schema: compiled, requestedSchema } = formOf(schema)
  const key = roundTrips.key('elicit', options.key)
  const request: InputRequest = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } }
  const response = roundTrips.responseTo(key, request)
  if (response && isAccepted(response) && isObject(response.content)) {
    const content = applyDefaults(requestedSchema, response.content)
    if (checkContent(requestedSchema, content).length === 0) {
      const parsing = compiled.parse(content)
      const parsed = parsing instanceof Promise ? await parsing : parsing
      if (!parsed.issues) return parsed.value
    }
  }
  return roundTrips.suspend(key, request)
}

/** Requests URL elicitation. */
export async function elicitUrl(
  roundTrips: RoundTrips,
  capabilities: ClientCapabilities,
  { message, url, ...options }: Keyed & { message: string; url: string },
): Promise<void> {
  if (!capabilities.elicitation?.url) throw missingClientCapability({ elicitation: { url: {} } })
  const key = roundTrips.key('elicit-url', options.key)
  const request: InputRequest = { method: 'elicitation/create', params: { mode: 'url', message, url: new URL(url).href } }
  const response = roundTrips.responseTo(key, request)
  if (!response || !isAccepted(response)) roundTrips.suspend(key, request)
}

/** Requests sampling. @throws TypeError, RangeError when the params are invalid. */
export async function createMessage(
  roundTrips: RoundTrips,
  capabilities: ClientCapabilities,
  { params, ...options }: Keyed & { params: CreateMessageParams },
): Promise<CreateMessageResult> {
  checkSampling(params)
  const required = samplingCapabilities(params)
  const { sampling } = capabilities
  if (!sampling || (required.tools && !sampling.tools) || (required.context && !sampling.context))
    throw missingClientCapability({ sampling: required })
  const key = roundTrips.key('sample', options.key)
  const request: InputRequest = { method: 'sampling/createMessage', params: { ...params } }
  const response = roundTrips.responseTo(key, request)
  return isSamplingResult(response) ? response : roundTrips.suspend(key, request)
}

/** Requests the client's roots. */
export async function listRoots(roundTrips: RoundTrips, capabilities: ClientCapabilities, options: Keyed): Promise<Root[]> {
  if (!capabilities.roots) throw missingClientCapability({ roots: {} })
  const key = roundTrips.key('roots', options.key)
  const request: InputRequest = { method: 'roots/list', params: {} }
  const response = roundTrips.responseTo(key, request)
  return Array.isArray(response?.roots) ? (response.roots as Root[]) : roundTrips.suspend(key, request)
}

/** Returns whether the user accepted; `false` for a malformed response. @throws ElicitationDeclinedError when the user declined. */
function isAccepted({ action }: JsonObject): boolean {
  if (action === 'decline' || action === 'cancel') throw new ElicitationDeclinedError(action)
  return action === 'accept'
}

/** Returns the members of the sampling capability that a request requires. */
function samplingCapabilities({ tools, toolChoice, includeContext }: CreateMessageParams): {
  tools?: JsonObject
  context?: JsonObject
} {
  return {
    ...(tools || toolChoice ? { tools: {} } : {}),
    ...(includeContext && includeContext !== 'none' ? { context: {} } : {}),
  }
}

function isSamplingResult(response: JsonObject | undefined): response is JsonObject & CreateMessageResult {
  return (
    response !== undefined &&
    (response.role === 'assistant' || response.role === 'user') &&
    (isObject(response.content) || Array.isArray(response.content)) &&
    typeof response.model === 'string'
  )
}
