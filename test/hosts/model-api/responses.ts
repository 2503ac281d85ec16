import type { JsonObject } from 'portcall/jsonrpc'
import { after, newId, writeEvents, writeJson } from './events.ts'
import type { ModelReply, OfferedTool, WireFormat } from './model-api.ts'

interface ResponsesTool {
  readonly type: string
  readonly name?: string
  readonly description?: string
  readonly parameters?: JsonObject
  /** The tools of a namespace. */
  readonly tools?: readonly ResponsesTool[]
}

interface Body {
  readonly tools?: readonly ResponsesTool[]
  readonly instructions?: unknown
  readonly input?: readonly { readonly type?: string }[]
}

/** The Responses API of OpenAI. */
export const responses: WireFormat = {
  path: /\/responses(\?|$)/,
  read(body) {
    const { tools = [], instructions, input = [] } = body as Body
    const groups = tools.filter(({ type }) => type === 'namespace').map(({ name, description }) => [name, description])
    return {
      tools: tools.flatMap((tool) => toolsOf(tool)),
      prompt: JSON.stringify([instructions, input, groups]),
      afterCall: after(input, ({ type }) => type === 'function_call'),
    }
  },
  write(response, reply, { body }) {
    const item = itemOf(reply)
    const done = { id: newId('resp'), object: 'response', status: 'completed', output: [item], usage: USAGE, model: body.model }
    if (body.stream !== true) return writeJson(response, done)
    writeEvents(response, [
      { type: 'response.created', response: { ...done, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: done },
    ])
  },
}

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 20,
}

function toolsOf({ type, name = '', description = '', parameters = {}, tools = [] }: ResponsesTool): OfferedTool[] {
  if (type === 'namespace') return tools.flatMap(toolsOf).map((tool) => ({ ...tool, namespace: name }))
  return type === 'function' ? [{ name, description, schema: parameters }] : []
}

function itemOf(reply: ModelReply): object {
  if ('text' in reply) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }]
    return { type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', content }
  }
  const { name, namespace } = reply.call
  const call = { name, ...(namespace !== undefined && { namespace }), arguments: JSON.stringify(reply.args) }
  return { type: 'function_call', id: newId('fc'), call_id: newId('call'), status: 'completed', ...call }
}
