import type { CreateMessageParams, SamplingMessage } from 'portcall'
import { createSafeFetch, insecureHttp } from 'portcall/auth/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import type { ModelEndpoint } from '../protocol.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { EventHub } from '../state/event-hub.ts'

/** The user's model endpoint, which drafts answers to sampling requests. Off until it is set. */
export interface Model {
  readonly endpoint: ModelEndpoint | undefined
  set(endpoint: (ModelEndpoint & { readonly apiKey?: string }) | null): void
  /** Drafts a `CreateMessageResult`. @throws InspectorCommandError */
  draft(params: CreateMessageParams): Promise<JsonObject>
}

const TIMEOUT_MS = 120_000
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

/** Creates the model, which is not set. Its key stays in memory. */
export function createModel(hub: EventHub): Model {
  let current: (ModelEndpoint & { readonly apiKey?: string }) | undefined
  const shown = (): ModelEndpoint | undefined => current && { url: current.url, model: current.model }
  return {
    get endpoint() {
      return shown()
    },
    set(endpoint) {
      if (endpoint && !/^https?:\/\//.test(endpoint.url))
        throw new InspectorCommandError('INVALID_PARAMS', 'The URL of the model starts with https:// or http://')
      current = endpoint ?? undefined
      hub.publish({ type: 'model', model: shown() ?? null })
    },
    async draft(params) {
      if (!current) throw new InspectorCommandError('NOT_FOUND', 'No model endpoint is set')
      const { url, model, apiKey } = current
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES }
      const { fetch } = createSafeFetch({ trustedUrl: new URL(url), allow: [insecureHttp], ...limits })
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
        body: JSON.stringify(chatRequest(params, model)),
      })
      const text = await response.text()
      if (!response.ok)
        throw new InspectorCommandError('FAILED', `The model responded with HTTP ${response.status}: ${text.slice(0, 500)}`)
      return readChatResponse(JSON.parse(text), model)
    },
  }
}

function chatRequest(
  { messages, systemPrompt, maxTokens, temperature, stopSequences }: CreateMessageParams,
  model: string,
): object {
  const system = systemPrompt === undefined ? [] : [{ role: 'system', content: systemPrompt }]
  return {
    model,
    messages: [...system, ...messages.map(({ role, content }) => ({ role, content: textOf(content) }))],
    max_tokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences && { stop: stopSequences }),
  }
}

function textOf(content: SamplingMessage['content']): string {
  return [content]
    .flat()
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
}

function readChatResponse(value: unknown, model: string): JsonObject {
  const [choice] = isObject(value) && Array.isArray(value.choices) ? (value.choices as unknown[]) : []
  const message = isObject(choice) ? choice.message : undefined
  const text = isObject(message) ? message.content : undefined
  if (typeof text !== 'string') throw new InspectorCommandError('FAILED', 'The response of the model has no text')
  const stopReason = isObject(choice) && choice.finish_reason === 'length' ? 'maxTokens' : 'endTurn'
  return { role: 'assistant', content: { type: 'text', text }, model, stopReason }
}
