/** Views of MCP Apps: hooks for Preact. @module */

export type { AppConnection } from '../apps/hooks/connection.ts'
export type { AppHooks } from '../apps/hooks/hooks.ts'
export {
  useApp,
  useHostContext,
  usePartialToolInput,
  useToolCancelled,
  useToolInput,
  useToolResult,
} from '../apps/hooks/preact.ts'
