/** Gives the tools of MCP servers to agents of the AI SDK, and answers sampling requests with its models. @module */
export type { AgentToolCall, AgentToolOptions, ToolSource } from '../adapters/agent-tools.ts'
export {
  type AiSamplingOptions,
  type AiSchema,
  type AiTool,
  type AiToolOutput,
  aiSampling,
  aiTools,
} from '../adapters/ai.ts'
export type { SampleContext, SampleHandler } from '../adapters/sampling.ts'
