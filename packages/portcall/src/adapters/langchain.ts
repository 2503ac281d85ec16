/** The tools of servers for LangChain. https://docs.langchain.com/oss/javascript/langchain/tools */

import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, ContentBlock } from '../protocol/types.ts'
import { AGENT_TOOL_OPTIONS, type AgentTool, type AgentToolOptions, listAgentTools, type ToolSource } from './agent-tools.ts'
import { withRequiredKeywords } from './provider-schema.ts'
import { blockText, resultText } from './result-text.ts'
import { dataUrl, type SampleHandler, sampledText, toChatMessages } from './sampling.ts'

/** The options of `langchainTools`. */
export interface LangchainToolOptions<LangchainTool> extends AgentToolOptions {
  /** `tool` of the package `@langchain/core/tools`. */
  readonly tool: (call: LangchainCall, fields: LangchainFields) => LangchainTool
}

const OPTIONS: OptionNames<LangchainToolOptions<unknown>> = { ...AGENT_TOOL_OPTIONS, tool: 'function' }
const REQUIRED = { tool: 'Pass "tool" of @langchain/core/tools' }

/** The function behind a tool. It returns the content for the model, and the whole result as the artifact. */
export type LangchainCall = (
  input: unknown,
  config?: {
    /** Aborted when the run of the agent is. */
    readonly signal?: AbortSignal
  },
) => Promise<[content: string | LangchainContent[], artifact: CallToolResult]>

/** A part of a result. */
export type LangchainContent =
  | {
      /** A text. */
      type: 'text'
      /** The text. */
      text: string
    }
  | {
      /** An image. */
      type: 'image_url'
      /** Where the image is. */
      image_url: {
        /** A `data:` URL. */
        url: string
      }
    }

/** The fields that describe a tool. */
export interface LangchainFields {
  /** The name. */
  name: string
  /** The purpose of the tool. */
  description: string
  /** The JSON Schema of the arguments. */
  schema: {
    /** Arguments are an object. */
    type: 'object'
    /** Other keywords of JSON Schema. */
    [keyword: string]: unknown
  }
  /** The call returns the content and the artifact. */
  responseFormat: 'content_and_artifact'
}

/**
 * Returns the tools of a client or a group for LangChain. A tool that fails throws its message.
 *
 * @example
 * import { tool } from '@langchain/core/tools'
 * const agent = createAgent({ model, tools: await langchainTools(client, { tool }) })
 */
export async function langchainTools<LangchainTool>(
  source: ToolSource,
  options: LangchainToolOptions<LangchainTool>,
): Promise<LangchainTool[]> {
  checkOptions('langchainTools()', options, { names: OPTIONS, required: REQUIRED })
  const { tool, ...rest } = options
  return (await listAgentTools(source, rest)).map((agentTool) => tool(createCall(agentTool), fieldsOf(agentTool)))
}

function fieldsOf({ name, description, inputSchema }: AgentTool): LangchainFields {
  return {
    name,
    description,
    schema: { ...withRequiredKeywords(inputSchema), type: 'object' },
    responseFormat: 'content_and_artifact',
  }
}

function createCall({ call }: AgentTool): LangchainCall {
  return async (input, config) => {
    const result = await call(isObject(input) ? input : {}, config?.signal)
    if (result.isError) throw new Error(resultText(result))
    const hasImages = result.content.some(({ type }) => type === 'image')
    return [hasImages ? result.content.map(toLangchainPart) : resultText(result), result]
  }
}

function toLangchainPart(block: ContentBlock): LangchainContent {
  if (block.type === 'image') return { type: 'image_url', image_url: { url: dataUrl(block) } }
  return { type: 'text', text: blockText(block) }
}

/** A chat model of LangChain. */
export interface LangchainChatModel {
  /** Generates a message. */
  invoke(
    messages: never,
    options?: {
      /** Aborted when the server cancels its request. */
      readonly signal?: AbortSignal
    },
  ): Promise<unknown>
}

/** Answers sampling requests of servers with a chat model: `connect(url, { sample: langchainSampling(model) })`. */
export function langchainSampling(model: LangchainChatModel): SampleHandler {
  return async (params, { signal }) => {
    const reply = await model.invoke(toChatMessages(params) as never, { signal })
    const { content, response_metadata: metadata } = isObject(reply) ? reply : ({} as JsonObject)
    const name = isObject(metadata) && typeof metadata.model_name === 'string' ? metadata.model_name : 'langchain'
    return sampledText(textOf(content), name, 'endTurn')
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content : []
  return parts.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
}
