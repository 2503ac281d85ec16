/** Gives the tools of MCP servers to agents of the Anthropic SDK, and answers sampling requests with its models. @module */
export type { AgentToolCall, AgentToolOptions, ToolSource } from '../adapters/agent-tools.ts'
export {
  type AnthropicContent,
  type AnthropicImageType,
  type AnthropicSamplingOptions,
  type AnthropicTool,
  anthropicSampling,
  anthropicTools,
} from '../adapters/anthropic.ts'
export type { SampleContext, SampleHandler } from '../adapters/sampling.ts'
