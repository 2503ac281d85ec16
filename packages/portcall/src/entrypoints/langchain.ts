/** Gives the tools of MCP servers to agents of LangChain, and answers sampling requests with its models. @module */
export type { AgentToolCall, AgentToolOptions, ToolSource } from '../adapters/agent-tools.ts'
export {
  type LangchainCall,
  type LangchainChatModel,
  type LangchainContent,
  type LangchainFields,
  type LangchainToolOptions,
  langchainSampling,
  langchainTools,
} from '../adapters/langchain.ts'
export type { SampleContext, SampleHandler } from '../adapters/sampling.ts'
