import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import { type DowngradePlan, omitFields, withoutReservedMeta } from './downgrade-plan.ts'
import { withoutNulls } from './fields.ts'
import { renderForm } from './form.ts'
import { readSamplingResult, renderSamplingParams } from './sampling.ts'

/** An input request as a request of a legacy revision. */
export interface RenderedInputRequest {
  readonly method: string
  readonly params: JsonObject
  /** Reads the client's result liberally, and returns the input response that the core expects. */
  readResult(result: JsonObject): JsonObject
}

type Renderer = (params: JsonObject, plan: DowngradePlan) => Omit<RenderedInputRequest, 'method'> | undefined

const RENDERERS: ReadonlyMap<string, Renderer> = new Map<string, Renderer>([
  ['elicitation/create', renderElicitation],
  ['sampling/createMessage', renderSampling],
  ['roots/list', (params) => ({ params, readResult: readRoots })],
])

/** Renders an input request of the core for a legacy client. Returns `undefined` if the revision has no equivalent request. */
export function renderInputRequest(input: InputRequest, plan: DowngradePlan): RenderedInputRequest | undefined {
  const { method, params = {} } = input
  const render = plan.revision.serverRequests.includes(method) ? RENDERERS.get(method) : undefined
  const rendered = render?.(withoutReservedMeta(params), plan)
  return rendered && { method, ...rendered }
}

function renderElicitation(params: JsonObject, plan: DowngradePlan): ReturnType<Renderer> {
  return params.mode === 'url' ? renderUrlElicitation(params, plan) : renderFormElicitation(params, plan)
}

/** Legacy revisions identify each URL elicitation by an ID. */
function renderUrlElicitation(params: JsonObject, { revision }: DowngradePlan): ReturnType<Renderer> {
  if (revision.fields.elicitUrl.length === 0) return undefined
  return { params: { ...params, elicitationId: crypto.randomUUID() }, readResult: readAction }
}

function renderFormElicitation(params: JsonObject, plan: DowngradePlan): ReturnType<Renderer> {
  const form = isObject(params.requestedSchema) ? renderForm(params.requestedSchema, plan.revision) : undefined
  if (!form) return undefined
  return {
    params: { ...omitFields(params, plan.omit.elicitForm), requestedSchema: form.requestedSchema },
    readResult(result) {
      const { action } = result
      return action === 'accept'
        ? { action, content: form.readContent(isObject(result.content) ? result.content : {}) }
        : { action }
    },
  }
}

function renderSampling(params: JsonObject, plan: DowngradePlan): ReturnType<Renderer> {
  const rendered = renderSamplingParams(params, plan)
  return rendered && { params: rendered, readResult: readSamplingResult }
}

function readAction({ action }: JsonObject): JsonObject {
  return { action }
}

function readRoots({ roots }: JsonObject): JsonObject {
  const list: unknown[] = Array.isArray(roots) ? roots : isObject(roots) ? [roots] : []
  return { roots: list.map((root) => (isObject(root) ? withoutNulls(root) : root)) }
}
