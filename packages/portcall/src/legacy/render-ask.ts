import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { InputRequest } from '../protocol/types.ts'
import { type Plan, planOf, withLegacyMeta, without } from './plan.ts'
import { renderForm } from './render-form.ts'
import { readSample, renderSampling } from './render-sampling.ts'

/** A question in the words of a legacy revision. */
export interface RenderedAsk {
  readonly method: string
  readonly params: JsonObject
  /** Turns the answer of the client, in whatever form it came, into the one that the core has asked for. */
  readAnswer(result: JsonObject): JsonObject
}

type Render = (params: JsonObject, plan: Plan) => Omit<RenderedAsk, 'method'> | undefined

const ASKS: ReadonlyMap<string, Render> = new Map<string, Render>([
  ['elicitation/create', renderElicitation],
  ['sampling/createMessage', renderSample],
  ['roots/list', (params) => ({ params, readAnswer: readRoots })],
])

/** Renders a question of the core as a request to a legacy client; `undefined` when the revision cannot ask it. */
export function renderAsk(input: InputRequest, revision: Revision): RenderedAsk | undefined {
  const { method, params = {} } = input
  const render = revision.asks.includes(method) ? ASKS.get(method) : undefined
  const rendered = render?.(withLegacyMeta(params), planOf(revision))
  return rendered && { method, ...rendered }
}

function renderElicitation(params: JsonObject, plan: Plan): ReturnType<Render> {
  return params.mode === 'url' ? renderUrl(params, plan) : renderFormAsk(params, plan)
}

/** The handshake dialect names each visit to a URL. */
function renderUrl(params: JsonObject, { revision }: Plan): ReturnType<Render> {
  if (revision.fields.elicitUrl.length === 0) return undefined
  return { params: { ...params, elicitationId: crypto.randomUUID() }, readAnswer: readAction }
}

function renderFormAsk(params: JsonObject, plan: Plan): ReturnType<Render> {
  const form = isObject(params.requestedSchema) ? renderForm(params.requestedSchema, plan.revision) : undefined
  if (!form) return undefined
  return {
    params: { ...without(params, plan.foreign.elicitForm), requestedSchema: form.requestedSchema },
    readAnswer(result) {
      const { action } = result
      return action === 'accept'
        ? { action, content: form.readContent(isObject(result.content) ? result.content : {}) }
        : { action }
    },
  }
}

function renderSample(params: JsonObject, plan: Plan): ReturnType<Render> {
  const rendered = renderSampling(params, plan)
  return rendered && { params: rendered, readAnswer: readSample }
}

function readAction({ action }: JsonObject): JsonObject {
  return { action }
}

function readRoots({ roots }: JsonObject): JsonObject {
  const list: unknown[] = Array.isArray(roots) ? roots : isObject(roots) ? [roots] : []
  return { roots: list.map((root) => (isObject(root) ? withoutNulls(root) : root)) }
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}
