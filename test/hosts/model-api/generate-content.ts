import type { JsonObject } from 'portcall/jsonrpc'
import { after, writeEvents, writeJson } from './events.ts'
import type { WireFormat } from './model-api.ts'

interface Declaration {
  readonly name: string
  readonly description?: string
  readonly parametersJsonSchema?: JsonObject
  readonly parameters?: JsonObject
}

interface Body {
  readonly tools?: readonly { readonly functionDeclarations?: readonly Declaration[] }[]
  readonly systemInstruction?: unknown
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly object[] }[]
}

/** The Gemini API of Google. */
export const generateContent: WireFormat = {
  path: /:(streamGenerateContent|generateContent|countTokens)/,
  read(body) {
    const { tools = [], systemInstruction, contents = [] } = body as Body
    return {
      tools: tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, description = '', parametersJsonSchema, parameters }) => ({
          name,
          description,
          schema: parametersJsonSchema ?? parameters ?? {},
        })),
      prompt: JSON.stringify([systemInstruction, contents]),
      afterCall: after(contents, ({ parts = [] }) => parts.some((part) => 'functionCall' in part)),
    }
  },
  write(response, reply, { url }) {
    if (url.includes(':countTokens')) return writeJson(response, { totalTokens: 100 })
    const part = 'call' in reply ? { functionCall: { name: reply.call.name, args: reply.args } } : { text: reply.text }
    const chunk = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    }
    if (url.includes(':streamGenerateContent')) return writeEvents(response, [chunk])
    writeJson(response, chunk)
  },
}
