import type { JsonObject } from 'portcall/jsonrpc'
import { after, newId, writeEvents, writeJson } from './events.ts'
import type { ModelReply, WireFormat } from './model-api.ts'

interface Body {
  readonly tools?: readonly {
    readonly function?: { readonly name: string; readonly description?: string; readonly parameters?: JsonObject }
  }[]
  readonly messages?: readonly { readonly role: string; readonly tool_calls?: readonly unknown[] }[]
}

/** The Chat Completions API of OpenAI. */
export const chatCompletions: WireFormat = {
  path: /\/chat\/completions(\?|$)/,
  read(body) {
    const { tools = [], messages = [] } = body as Body
    return {
      tools: tools.flatMap((tool) =>
        tool.function
          ? [{ name: tool.function.name, description: tool.function.description ?? '', schema: tool.function.parameters ?? {} }]
          : [],
      ),
      prompt: JSON.stringify(messages),
      afterCall: after(messages, ({ role, tool_calls = [] }) => role === 'assistant' && tool_calls.length > 0),
    }
  },
  write(response, reply, { body }) {
    const shared = { id: newId('chatcmpl'), created: 0, model: body.model, usage: USAGE }
    const finish_reason = 'call' in reply ? 'tool_calls' : 'stop'
    const message = messageOf(reply)
    if (body.stream !== true)
      return writeJson(response, { ...shared, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] })
    const chunk = { ...shared, object: 'chat.completion.chunk' }
    const events = [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    ]
    writeEvents(response, events, '[DONE]')
  },
}

const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }

function messageOf(reply: ModelReply): object {
  if ('text' in reply) return { role: 'assistant', content: reply.text }
  const call = { name: reply.call.name, arguments: JSON.stringify(reply.args) }
  return { role: 'assistant', content: null, tool_calls: [{ index: 0, id: newId('call'), type: 'function', function: call }] }
}
