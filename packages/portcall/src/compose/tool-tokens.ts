import type { Tool } from '../protocol/types.ts'

/** How many characters a token has on average, in English text and JSON, in the tokenizers of all large models. */
const CHARACTERS_PER_TOKEN = 4

/** The tokens that a tool takes in a model's context. */
export interface ToolTokens {
  /** The name of the tool. */
  readonly tool: string
  /** The estimate for its definition. */
  readonly tokens: number
}

/**
 * Estimates the tokens that each tool takes in a model's context: the characters of what hosts pass to a model (name, description and input
 * schema, as JSON), divided by four. Tokenizers of models differ from this estimate by up to a quarter.
 */
export function estimateToolTokens(tools: readonly Tool[]): ToolTokens[] {
  return tools.map((tool) => ({ tool: tool.name, tokens: estimateTokens([definitionOf(tool)]) }))
}

/** The members of a tool that hosts pass to a model. */
type Definition = { readonly [member in 'name' | 'description' | 'inputSchema']?: unknown }

/** Estimates the tokens of all tools together. */
export function estimateTotalTokens(tools: readonly Definition[]): number {
  return tools.length === 0 ? 0 : estimateTokens(tools.map(definitionOf))
}

function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
}

function definitionOf({ name, description, inputSchema }: Definition): object {
  return { name, description, inputSchema }
}
