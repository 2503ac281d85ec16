import { type HostProgram, PROMPT } from '../host-program.ts'

export const opencode: HostProgram = {
  host: 'opencode',
  npm: 'opencode-ai',
  command: 'opencode',
  files: ({ api, server }) => ({
    // The program installs a package at its start; offline, it does not wait for that.
    '.npmrc': 'offline=true\nfetch-retries=0\n',
    '.config/opencode/.npmrc': 'offline=true\nfetch-retries=0\n',
    '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'standin/model',
      small_model: 'standin/model',
      provider: {
        standin: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Stand-in',
          options: { baseURL: `${api}/v1`, apiKey: 'stand-in' },
          models: {
            model: {
              name: 'Model',
              tool_call: true,
              attachment: true,
              modalities: { input: ['text', 'image'], output: ['text'] },
            },
          },
        },
      },
      mcp: { probe: { type: 'remote', url: server, enabled: true, oauth: false, timeout: 30_000 } },
      experimental: { mcp_timeout: 3000 },
    }),
  }),
  args: ['run', '--auto', '-m', 'standin/model', PROMPT],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    npm_config_offline: 'true',
    npm_config_fetch_retries: '0',
  }),
}
