import { type HostProgram, PROMPT } from '../host-program.ts'

export const codex: HostProgram = {
  host: 'Codex',
  npm: '@openai/codex',
  command: 'codex',
  files: ({ api, server }) => ({
    '.codex/config.toml': `model = "gpt-5.2-codex"
model_provider = "standin"
approval_policy = "never"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.standin]
name = "standin"
base_url = "${api}/v1"
wire_api = "responses"
env_key = "STANDIN_KEY"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.probe]
url = "${server}"
tool_timeout_sec = 3
startup_timeout_sec = 30
default_tools_approval_mode = "approve"
`,
  }),
  args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
  env: () => ({ STANDIN_KEY: 'stand-in' }),
}
