/** Views of MCP Apps: `window.openai` for pages that were written for ChatGPT. @module */

export { type OpenaiApi, type OpenaiGlobals, type OpenaiMethods, openaiShim } from '../apps/view/openai-shim.ts'
