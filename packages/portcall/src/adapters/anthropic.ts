/** The tools of servers for the Anthropic SDK. https://docs.claude.com/en/docs/agents-and-tools/tool-use */

import { checkOptions } from '../../../util/src/check-options.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, ContentBlock } from '../protocol/types.ts'
import { AGENT_TOOL_OPTIONS, type AgentTool, type AgentToolOptions, listAgentTools, type ToolSource } from './agent-tools.ts'
import { blockText, resultText } from './result-text.ts'
import { type SampleHandler, sampledText, toMessages } from './sampling.ts'

/** A media type of images that the API accepts. */
export type AnthropicImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'

/** A part of a result. */
export type AnthropicContent =
  | {
      /** A text. */
      type: 'text'
      /** The text. */
      text: string
    }
  | {
      /** An image. */
      type: 'image'
      /** The content. */
      source: {
        /** The content is inline. */
        type: 'base64'
        /** The media type. */
        media_type: AnthropicImageType
        /** The bytes in base64. */
        data: string
      }
    }

/** A tool for `client.beta.messages.toolRunner`. */
export interface AnthropicTool {
  /** The name. */
  name: string
  /** The purpose of the tool. */
  description: string
  /** The schema of the arguments. */
  input_schema: {
    /** Arguments are an object. */
    type: 'object'
    /** Other keywords of JSON Schema. */
    [keyword: string]: unknown
  }
  /** Parses the arguments. */
  parse(content: unknown): JsonObject
  /** Calls the tool. Rejects with the message of the tool when it fails, which the runner reports to the model. */
  run(
    args: JsonObject,
    context?: {
      /** Aborted when the runner is. */
      readonly signal?: AbortSignal | null | undefined
    },
  ): Promise<string | AnthropicContent[]>
}

/**
 * Returns the tools of a client or a group for the Anthropic SDK.
 *
 * @example
 * const message = await anthropic.beta.messages.toolRunner({ model, max_tokens: 1024, messages, tools: await anthropicTools(client) })
 */
export async function anthropicTools(source: ToolSource, options: AgentToolOptions = {}): Promise<AnthropicTool[]> {
  checkOptions('anthropicTools()', options, { names: AGENT_TOOL_OPTIONS })
  return (await listAgentTools(source, options)).map(toAnthropicTool)
}

function toAnthropicTool({ name, description, inputSchema, call }: AgentTool): AnthropicTool {
  return {
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
    parse: (content) => (isObject(content) ? content : {}),
    async run(args, context) {
      const result = await call(args, context?.signal)
      if (result.isError) throw new Error(resultText(result))
      return toAnthropicContent(result)
    },
  }
}

const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] satisfies AnthropicImageType[]

function isImageType(mimeType: string): mimeType is AnthropicImageType {
  return IMAGE_TYPES.includes(mimeType)
}

function toAnthropicContent(result: CallToolResult): AnthropicContent[] {
  const parts = result.content.map(toAnthropicPart)
  return parts.length > 0 ? parts : [{ type: 'text', text: resultText(result) || 'Done' }]
}

function toAnthropicPart(block: ContentBlock): AnthropicContent {
  if (block.type !== 'image' || !isImageType(block.mimeType)) return { type: 'text', text: blockText(block) || ' ' }
  return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } }
}

/** The part of the Anthropic SDK that sampling needs. */
export interface AnthropicSamplingOptions {
  /** The client of the Anthropic SDK. */
  readonly client: {
    /** The messages API. */
    readonly messages: {
      /** Creates a message. */
      create(
        body: never,
        options: {
          /** Aborted when the server cancels its request. */
          readonly signal: AbortSignal
        },
      ): PromiseLike<unknown>
    }
  }
  /** The name of the model that answers. */
  readonly model: string
}

/** Answers sampling requests of servers with a model of Anthropic: `connect(url, { sample: anthropicSampling({ client, model }) })`. */
export function anthropicSampling({ client, model }: AnthropicSamplingOptions): SampleHandler {
  return async (params, { signal }) => {
    const body = {
      model,
      max_tokens: params.maxTokens,
      messages: toMessages(params, ({ mimeType, data }) => ({
        type: 'image',
        source: { type: 'base64', media_type: mimeType, data },
      })),
      ...withoutUndefined({ system: params.systemPrompt, temperature: params.temperature, stop_sequences: params.stopSequences }),
    }
    const message = (await client.messages.create(body as never, { signal })) as AnthropicMessage
    const text = message.content.map((part) => part.text ?? '').join('')
    return sampledText(text, message.model, STOP_REASONS[message.stop_reason ?? ''] ?? 'endTurn')
  }
}

const STOP_REASONS: { readonly [reason: string]: string } = { max_tokens: 'maxTokens', stop_sequence: 'stopSequence' }

interface AnthropicMessage {
  readonly model: string
  readonly stop_reason: string | null
  readonly content: readonly { readonly type: string; readonly text?: string }[]
}
