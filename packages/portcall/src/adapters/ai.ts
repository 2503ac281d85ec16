/** The tools of servers for the AI SDK. https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling */
import type { CallToolResult, ContentBlock } from '../entrypoints/client.ts'
import { isObject, type JsonObject } from '../entrypoints/jsonrpc.ts'
import { type AgentTool, type AgentToolOptions, listAgentTools, type ToolSource } from './agent-tools.ts'
import { blockText, resultText } from './result-text.ts'
import { type SampleHandler, sampledText, toMessages } from './sampling.ts'

/** The schema of a tool as a Standard Schema, which the AI SDK accepts. */
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

/** What the model gets of a result. */
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
      /** The parts of the result. */
      readonly value: AiContentPart[]
    }

/** A part of a result. */
export type AiContentPart =
  | {
      /** A text. */
      readonly type: 'text'
      /** The text. */
      readonly text: string
    }
  | {
      /** An image or audio. */
      readonly type: 'file'
      /** The media type. */
      readonly mediaType: string
      /** The content. */
      readonly data: {
        /** The content is inline. */
        readonly type: 'data'
        /** The bytes in base64. */
        readonly data: string
      }
    }

/** A tool of the AI SDK. */
export interface AiTool {
  /** The schema is known at run time only. */
  readonly type: 'dynamic'
  /** What the tool is for. */
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
  toModelOutput(options: {
    /** The result that `execute` returned. */
    readonly output: unknown
  }): AiToolOutput
}

/**
 * Returns the tools of a client or a group for the AI SDK.
 *
 * @example
 * const { text } = await generateText({ model, prompt, tools: await aiTools(client), stopWhen: stepCountIs(5) })
 */
export async function aiTools(source: ToolSource, options: AgentToolOptions = {}): Promise<{ [name: string]: AiTool }> {
  const tools = await listAgentTools(source, options)
  return Object.fromEntries(tools.map((tool) => [tool.name, toAiTool(tool)]))
}

function toAiTool({ description, tool, call }: AgentTool): AiTool {
  return {
    type: 'dynamic',
    description,
    ...(tool.title !== undefined && { title: tool.title }),
    inputSchema: toAiSchema({ ...tool.inputSchema }),
    execute: (input, { abortSignal }) => call(isObject(input) ? input : {}, abortSignal),
    toModelOutput: ({ output }) => toAiOutput(output as CallToolResult),
  }
}

function toAiSchema(schema: JsonObject): AiSchema {
  const json = (): JsonObject => structuredClone(schema)
  return {
    '~standard': { version: 1, vendor: 'portcall', validate: (value) => ({ value }), jsonSchema: { input: json, output: json } },
  }
}

function toAiOutput(result: CallToolResult): AiToolOutput {
  if (result.isError) return { type: 'error-text', value: resultText(result) }
  if (result.content.length === 0) return { type: 'content', value: [{ type: 'text', text: resultText(result) }] }
  return { type: 'content', value: result.content.map(toAiPart) }
}

function toAiPart(block: ContentBlock): AiContentPart {
  if (block.type !== 'image' && block.type !== 'audio') return { type: 'text', text: blockText(block) }
  return { type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } }
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
      ...(params.systemPrompt !== undefined && { instructions: params.systemPrompt }),
      ...(params.temperature !== undefined && { temperature: params.temperature }),
      ...(params.stopSequences && { stopSequences: params.stopSequences }),
    }
    const { text, finishReason } = await generateText(request as never)
    return sampledText(text, modelName(model), finishReason === 'length' ? 'maxTokens' : 'endTurn')
  }
}

function modelName(model: unknown): string {
  if (typeof model === 'string') return model
  return isObject(model) && typeof model.modelId === 'string' ? model.modelId : 'unknown'
}
