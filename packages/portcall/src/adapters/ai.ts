/** The tools of servers for the AI SDK. https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling */

import { checkOptions } from '../../../util/src/check-options.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, ContentBlock } from '../protocol/types.ts'
import { AGENT_TOOL_OPTIONS, type AgentTool, type AgentToolOptions, listAgentTools, type ToolSource } from './agent-tools.ts'
import { withRequiredKeywords } from './provider-schema.ts'
import { blockText, resultText } from './result-text.ts'
import { type SampleHandler, sampledText, toMessages } from './sampling.ts'

/** The schema of a tool, as all versions of the AI SDK accept it: as a Standard Schema, and as what its function `jsonSchema` returns. */
export interface AiSchema {
  /** Implements Standard Schema and Standard JSON Schema. The server validates the arguments. */
  readonly '~standard': {
    /** The version of Standard Schema. */
    readonly version: 1
    /** The library that the schema comes from. */
    readonly vendor: 'portcall'
    /** Accepts every value. */
    readonly validate: (value: unknown) => {
      /** The value, unchanged. */
      readonly value: unknown
    }
    /** The JSON Schema. */
    readonly jsonSchema: {
      /** Returns the schema of the arguments. */
      readonly input: () => JsonObject
      /** Returns the schema of the arguments. */
      readonly output: () => JsonObject
    }
  }
}

/** The part of a result that the model gets. */
export type AiToolOutput =
  | {
      /** The tool failed. */
      readonly type: 'error-text'
      /** The message of the tool. */
      readonly value: string
    }
  | {
      /** The tool succeeded. */
      readonly type: 'content'
      /** The parts of the result, in the form of the version of the AI SDK that runs the tool. */
      readonly value: never[]
    }

/** A tool of the AI SDK. */
export interface AiTool {
  /** The schema is known at run time only. */
  readonly type: 'dynamic'
  /** The purpose of the tool. */
  readonly description: string
  /** The title for display. */
  readonly title?: string
  /** The schema of the arguments. */
  readonly inputSchema: AiSchema
  /** Calls the tool. */
  execute(
    input: unknown,
    options: {
      /** Aborted when the run of the agent is. */
      readonly abortSignal?: AbortSignal | undefined
    },
  ): Promise<CallToolResult>
  /** Converts a result for the model, images and files included. */
  toModelOutput(options: unknown): AiToolOutput
}

/**
 * Returns the tools of a client or a group for the AI SDK.
 *
 * @example
 * const { text } = await generateText({ model, prompt, tools: await aiTools(client), stopWhen: stepCountIs(5) })
 */
export async function aiTools(source: ToolSource, options: AgentToolOptions = {}): Promise<{ [name: string]: AiTool }> {
  checkOptions('aiTools()', options, { names: AGENT_TOOL_OPTIONS })
  const tools = await listAgentTools(source, options)
  return Object.fromEntries(tools.map((tool) => [tool.name, toAiTool(tool)]))
}

function toAiTool({ description, tool, inputSchema, call }: AgentTool): AiTool {
  let isVersion7 = false
  return {
    type: 'dynamic',
    description,
    ...(tool.title !== undefined && { title: tool.title }),
    inputSchema: toAiSchema(withRequiredKeywords(inputSchema)),
    execute(input, options) {
      isVersion7 = 'context' in options
      return call(isObject(input) ? input : {}, options.abortSignal)
    },
    toModelOutput(options) {
      // AI SDK 5 passes the result alone.
      const isVersion5 = !isObject(options) || !Object.hasOwn(options, 'output')
      const result = (isVersion5 ? options : options.output) as CallToolResult
      return toAiOutput(result, isVersion5 ? toMedia : isVersion7 ? toFile : toFileData)
    },
  }
}

/** The symbols with which the AI SDK marks schemas. AI SDK 5 knows no Standard Schema besides zod's. */
const AI_SCHEMA = Symbol.for('vercel.ai.schema')
const AI_VALIDATOR = Symbol.for('vercel.ai.validator')

function toAiSchema(schema: JsonObject): AiSchema {
  const json = (): JsonObject => structuredClone(schema)
  const marked = {
    [AI_SCHEMA]: true,
    [AI_VALIDATOR]: true,
    jsonSchema: schema,
    validate: (value: unknown) => ({ success: true, value }),
  }
  return {
    ...marked,
    '~standard': { version: 1, vendor: 'portcall', validate: (value) => ({ value }), jsonSchema: { input: json, output: json } },
  }
}

/** An image or audio in a result. */
type MediaBlock = Extract<ContentBlock, { readonly type: 'image' | 'audio' }>
type ConvertMedia = (block: MediaBlock) => object

/** The form of AI SDK 5. */
const toMedia: ConvertMedia = ({ data, mimeType }) => ({ type: 'media', data, mediaType: mimeType })
/** The form of AI SDK 6, which AI SDK 7 still accepts. */
const toFileData: ConvertMedia = ({ type, data, mimeType }) => ({
  type: type === 'image' ? 'image-data' : 'file-data',
  data,
  mediaType: mimeType,
})
/** The form of AI SDK 7. */
const toFile: ConvertMedia = ({ data, mimeType }) => ({ type: 'file', mediaType: mimeType, data: { type: 'data', data } })

function toAiOutput(result: CallToolResult, convertMedia: ConvertMedia): AiToolOutput {
  if (result.isError) return { type: 'error-text', value: resultText(result) }
  const parts = result.content.map((block) =>
    block.type === 'image' || block.type === 'audio' ? convertMedia(block) : { type: 'text', text: blockText(block) },
  )
  return { type: 'content', value: (parts.length > 0 ? parts : [{ type: 'text', text: resultText(result) }]) as never[] }
}

/** The parts of the AI SDK that sampling needs. */
export interface AiSamplingOptions<Model> {
  /** `generateText` of the package `ai`. */
  readonly generateText: (options: never) => PromiseLike<{
    /** The text that the model generated. */
    readonly text: string
    /** Why the model stopped. */
    readonly finishReason: string
  }>
  /** The model that answers. */
  readonly model: Model
}

/** Answers sampling requests of servers with a model of the AI SDK: `connect(url, { sample: aiSampling({ generateText, model }) })`. */
export function aiSampling<Model>({ generateText, model }: AiSamplingOptions<Model>): SampleHandler {
  return async (params, { signal }) => {
    const request = {
      model,
      messages: toMessages(params, ({ mimeType, data }) => ({ type: 'file', mediaType: mimeType, data })),
      maxOutputTokens: params.maxTokens,
      abortSignal: signal,
      // AI SDK 7 prefers `instructions`; older versions know only `system`.
      ...(params.systemPrompt !== undefined && { instructions: params.systemPrompt, system: params.systemPrompt }),
      ...withoutUndefined({ temperature: params.temperature, stopSequences: params.stopSequences }),
    }
    const { text, finishReason } = await generateText(request as never)
    return sampledText(text, modelName(model), finishReason === 'length' ? 'maxTokens' : 'endTurn')
  }
}

function modelName(model: unknown): string {
  if (typeof model === 'string') return model
  return isObject(model) && typeof model.modelId === 'string' ? model.modelId : 'unknown'
}
