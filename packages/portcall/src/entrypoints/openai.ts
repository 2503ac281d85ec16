/** Gives the tools of MCP servers to agents of the OpenAI SDK, and answers sampling requests with its models. @module */
export type { AgentToolCall, AgentToolOptions, ToolSource } from '../adapters/agent-tools.ts'
export {
  type OpenaiSamplingOptions,
  type OpenaiTool,
  type OpenaiToolOptions,
  openaiSampling,
  openaiTools,
} from '../adapters/openai.ts'
export type { SampleContext, SampleHandler } from '../adapters/sampling.ts'
