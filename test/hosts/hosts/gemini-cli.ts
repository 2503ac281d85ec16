import { type HostProgram, PROMPT } from '../host-program.ts'

export const geminiCli: HostProgram = {
  host: 'Gemini CLI',
  npm: '@google/gemini-cli',
  command: 'gemini',
  files: ({ server }) => ({
    '.gemini/settings.json': JSON.stringify({
      mcpServers: { probe: { httpUrl: server, trust: true, timeout: 3000 } },
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
  }),
  args: ['-p', PROMPT, '--approval-mode', 'yolo', '--skip-trust', '-m', 'gemini-2.5-pro'],
  env: ({ api }) => ({ GEMINI_API_KEY: 'stand-in', GOOGLE_GEMINI_BASE_URL: api, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
}
