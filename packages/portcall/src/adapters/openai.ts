/** The tools of servers for the OpenAI SDK. https://platform.openai.com/docs/guides/function-calling */

import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { AGENT_TOOL_OPTIONS, type AgentTool, type AgentToolOptions, listAgentTools, type ToolSource } from './agent-tools.ts'
import { withRequiredKeywords } from './provider-schema.ts'
import { resultText } from './result-text.ts'
import { type SampleHandler, sampledText, toChatMessages } from './sampling.ts'
import { removeAbsent, toStrictSchema } from './strict-schema.ts'

/** The options of `openaiTools`. */
export interface OpenaiToolOptions extends AgentToolOptions {
  /** True to use strict mode for tools whose schemas allow it. Default: true. */
  readonly strict?: boolean
}

const OPTIONS: OptionNames<OpenaiToolOptions> = { ...AGENT_TOOL_OPTIONS, strict: 'boolean' }

/** A tool for `client.chat.completions.runTools`. Its `function` also has what `chat.completions.create` needs. */
export interface OpenaiTool {
  /** The kind of tool. */
  readonly type: 'function'
  /** The function that the model may call. */
  readonly function: {
    /** The name. */
    readonly name: string
    /** The purpose of the tool. */
    readonly description: string
    /** The schema of the arguments. */
    readonly parameters: JsonObject
    /** True if the arguments always match the schema. */
    readonly strict: boolean
    /** Parses the arguments. */
    parse(input: string): JsonObject
    /** Calls the tool and returns its result as text. */
    function(
      args: JsonObject,
      runner?: {
        /** Aborts the run. */
        readonly controller?: AbortController
      },
    ): Promise<string>
  }
}

/**
 * Returns the tools of a client or a group for the OpenAI SDK. Pass them to `runTools`, which calls them, or use their parts in a loop of your
 * own.
 *
 * @example
 * const runner = openai.chat.completions.runTools({ model: 'gpt-5', messages, tools: await openaiTools(client) })
 * console.log(await runner.finalContent())
 */
export async function openaiTools(source: ToolSource, options: OpenaiToolOptions = {}): Promise<OpenaiTool[]> {
  checkOptions('openaiTools()', options, { names: OPTIONS })
  const { strict = true, ...rest } = options
  return (await listAgentTools(source, rest)).map((tool) => toOpenaiTool(tool, strict))
}

function toOpenaiTool({ name, description, inputSchema: schema, call }: AgentTool, wantsStrict: boolean): OpenaiTool {
  const strictSchema = wantsStrict ? toStrictSchema(schema) : undefined
  const parse = (input: string): JsonObject => {
    const parsed: unknown = input === '' ? {} : JSON.parse(input)
    const args = strictSchema ? removeAbsent(parsed, schema, schema) : parsed
    return isObject(args) ? args : {}
  }
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: strictSchema ?? withRequiredKeywords(schema),
      strict: strictSchema !== undefined,
      parse,
      function: async (args, runner) => {
        const signal = runner?.controller?.signal
        try {
          const result = await call(args, signal)
          return result.isError ? `Error: ${resultText(result)}` : resultText(result)
        } catch (error) {
          // The runner ends at an error of a tool. The model can go on.
          if (signal?.aborted) throw error
          return `Error: ${error instanceof Error ? error.message : String(error)}`
        }
      },
    },
  }
}

/** The part of the OpenAI SDK that sampling needs. */
export interface OpenaiSamplingOptions {
  /** The client of the OpenAI SDK. */
  readonly client: {
    /** The chat API. */
    readonly chat: {
      /** The completions of the chat API. */
      readonly completions: {
        /** Creates a completion. */
        create(
          body: never,
          options: {
            /** Aborted when the server cancels its request. */
            readonly signal: AbortSignal
          },
        ): PromiseLike<unknown>
      }
    }
  }
  /** The name of the model that answers. */
  readonly model: string
}

/** Answers sampling requests of servers with a model of OpenAI: `connect(url, { sample: openaiSampling({ client, model: 'gpt-5' }) })`. */
export function openaiSampling({ client, model }: OpenaiSamplingOptions): SampleHandler {
  return async (params, { signal }) => {
    const body = {
      model,
      messages: toChatMessages(params),
      max_completion_tokens: params.maxTokens,
      ...withoutUndefined({ temperature: params.temperature, stop: params.stopSequences }),
    }
    const completion = (await client.chat.completions.create(body as never, { signal })) as Completion
    const [choice] = completion.choices
    return sampledText(
      choice?.message.content ?? '',
      completion.model,
      choice?.finish_reason === 'length' ? 'maxTokens' : 'endTurn',
    )
  }
}

interface Completion {
  readonly model: string
  readonly choices: readonly { readonly message: { readonly content: string | null }; readonly finish_reason: string }[]
}
