import { type HostProgram, PROMPT } from '../host-program.ts'

export const claudeCode: HostProgram = {
  host: 'Claude Code',
  npm: '@anthropic-ai/claude-code',
  command: 'claude',
  files: ({ server }) => ({ 'mcp.json': JSON.stringify({ mcpServers: { probe: { type: 'http', url: server } } }) }),
  args: [
    '-p',
    PROMPT,
    '--mcp-config',
    '../mcp.json',
    '--strict-mcp-config',
    '--allowedTools',
    'mcp__probe',
    '--output-format',
    'json',
  ],
  env: ({ api }) => ({
    ANTHROPIC_BASE_URL: api,
    ANTHROPIC_API_KEY: 'sk-ant-stand-in',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    ENABLE_TOOL_SEARCH: 'false',
    MCP_TOOL_TIMEOUT: '3000',
  }),
}
