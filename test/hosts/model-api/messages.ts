import type { JsonObject } from 'portcall/jsonrpc'
import { after, newId, writeEvents, writeJson } from './events.ts'
import type { ModelReply, WireFormat } from './model-api.ts'

interface Body {
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly input_schema?: JsonObject }[]
  readonly system?: unknown
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
}

const hasCall = (content: unknown): boolean => Array.isArray(content) && content.some(({ type }) => type === 'tool_use')

/** The Messages API of Anthropic. */
export const messages: WireFormat = {
  path: /\/v1\/messages(\?|$|\/count_tokens)/,
  read(body) {
    const { tools = [], system, messages = [] } = body as Body
    return {
      tools: tools.map(({ name, description = '', input_schema = {} }) => ({ name, description, schema: input_schema })),
      prompt: JSON.stringify([system, messages]),
      afterCall: after(messages, ({ role, content }) => role === 'assistant' && hasCall(content)),
    }
  },
  write(response, reply, { url, body }) {
    if (url.includes('count_tokens')) return writeJson(response, { input_tokens: 1000 })
    const message = { id: newId('msg'), type: 'message', role: 'assistant', model: body.model, usage: USAGE }
    const block = blockOf(reply)
    const stop_reason = 'call' in reply ? 'tool_use' : 'end_turn'
    if (body.stream !== true) return writeJson(response, { ...message, content: [block], stop_reason, stop_sequence: null })
    const empty = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} }
    const delta =
      block.type === 'text'
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    writeEvents(response, [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: empty },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: USAGE },
      { type: 'message_stop' },
    ])
  },
}

const USAGE = { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

function blockOf(reply: ModelReply) {
  if ('text' in reply) return { type: 'text', text: reply.text } as const
  return { type: 'tool_use', id: newId('toolu'), name: reply.call.name, input: reply.args } as const
}
