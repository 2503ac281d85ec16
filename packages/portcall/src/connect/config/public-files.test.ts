/** Files of hosts as people have published them, shortened and without personal details. */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'

const FILES = fileURLToPath(new URL('public-files', import.meta.url))
const DIRECTORY = '/work/project'

/** The expected server: its command line or URL, or why it is left out. */
type Expected = string | { readonly off: true } | { readonly needs: string }

const OFF = { off: true } as const

/** The servers of each file, without those that are part of the host. */
const SERVERS: { readonly [file: string]: { readonly [name: string]: Expected } } = {
  'claude-code-1.json': { jenkins: { needs: 'input jenkins-basic-auth' } },
  'claude-code-2.json': {
    'knowledge-base': '/home/me/tools/rag/.venv/bin/python3 /home/me/tools/rag/mcp_server/kb_server.py',
    kali_internal: '/home/me/mcp-venv/bin/python /home/me/mcp/mcp_server.py --server http://kali:5000/',
    playwright: 'npx @playwright/mcp@latest --browser chromium --headless --viewport-size 1920x1080 --timeout-action 10000',
  },
  'claude-code-3.json': { marketing: 'https://marketing.example.com/mcp', docs: 'https://docs.example.com/mcp' },
  'claude-desktop-1.json': { filesystem: '/home/me/.asdf/shims/npx -y @modelcontextprotocol/server-filesystem /home/me' },
  'claude-desktop-2.json': {
    'apillon-mcp-server': 'tsx /full/path/to/index.ts',
    filesystem: 'npx -y @modelcontextprotocol/server-filesystem /home/me/Desktop',
  },
  'claude-desktop-3.json': {
    'brave-search': 'npx @modelcontextprotocol/server-brave-search',
    'google-workspace-mcp':
      'docker run --rm -i -v /home/me/.mcp/google-workspace-mcp:/app/config -e GOOGLE_CLIENT_ID -e LOG_MODE=strict ghcr.io/aaronsb/google-workspace-mcp:latest',
  },
  'cline-1.json': {
    'tavily-search': 'python -m mcp_server_tavily',
    'brave-search': 'npx -y @modelcontextprotocol/server-brave-search',
  },
  'cline-2.json': { 'github.com/upstash/context7-mcp': 'npx -y @upstash/context7-mcp' },
  'cline-3.json': { 'malice-server': 'http://127.0.0.1:5005/mcp/sse' },
  'codex-1.toml': { aspire: 'aspire agent mcp', 'linear-server': 'https://mcp.linear.app/mcp' },
  'codex-2.toml': { memos: { needs: 'variable MEMOS_MCP_PAT' } },
  'codex-3.toml': {},
  'continue-1.yaml': { 'network-security': 'C:\\Users\\me\\server\\venv\\Scripts\\python.exe network_server.py' },
  'cursor-1.json': { eslint: 'npx @eslint/mcp@latest', context7: 'npx -y @upstash/context7-mcp' },
  'cursor-2.json': { 'sequential-thinking': 'npx -y @modelcontextprotocol/server-sequential-thinking' },
  'cursor-3.json': { netbox: { needs: `envFile names the file ${DIRECTORY}/dev/.env.local` } },
  'gemini-1.json': { expo: 'https://mcp.expo.dev/mcp' },
  'gemini-2.json': {
    'laravel-boost': 'php artisan boost:mcp',
    herd: 'php /Applications/Herd.app/Contents/Resources/herd-mcp.phar',
  },
  'gemini-3.json': {
    abap: { needs: 'variable PROXY_MAX_CLASS' },
    'abap-docs': 'https://docs.example.com/mcp',
    graft: 'graft mcp @nanonets/graft',
  },
  'goose-1.yaml': {},
  'goose-2.yaml': { rube: OFF, tavilywebsearch: OFF, github_local: { needs: 'variable GITHUB_PERSONAL_ACCESS_TOKEN' } },
  'goose-3.yaml': { tavily: { needs: 'variable TAVILY_API_KEY' } },
  'kiro-1.json': { 'awslabs.ecs-mcp-server': 'uvx --from awslabs-ecs-mcp-server ecs-mcp-server' },
  'kiro-2.json': { docs: 'node /home/me/Work Projects/design/mcp-server/dist/index.js' },
  'kiro-3.json': {
    sqlite: 'uvx mcp-server-sqlite --db-path .data/memory.db',
    'knowledge-graph': { needs: 'variable GROQ_API_KEY' },
  },
  'opencode-1.jsonc': { 'atlassian-rovo': OFF, gitlab: OFF, sauron: 'sauron mcp' },
  'opencode-2.json': { context7: OFF, 'global-git': OFF },
  'opencode-3.json': {},
  'roo-1.json': { 'smart-tree': '/home/me/source/smart-tree/target/debug/st --mcp' },
  'roo-2.json': { fetch: 'docker run -i --rm mcp/fetch', memory: 'npx -y @modelcontextprotocol/server-memory' },
  'roo-3.json': { Sitecore: 'http://localhost:3001/sse' },
  'vscode-1.json': { m365agentstoolkit: 'npx @microsoft/m365agentstoolkit-mcp@latest server start' },
  'vscode-2.json': { 'azure-devops-proxy': 'http://localhost:8080/mcp' },
  'vscode-3.jsonc': { 'home-assistant-mcp': { needs: 'input home-assistant-domain' } },
  'windsurf-1.json': {
    Ref: 'https://api.ref.tools/mcp',
    'chrome-devtools': 'npx -y chrome-devtools-mcp@latest --chrome-arg=--no-sandbox',
    markitdown: OFF,
    serena: 'uvx --from git+https://github.com/oraios/serena serena start-mcp-server --context ide-assistant',
  },
  'windsurf-2.json': { Sentry: 'https://mcp.sentry.dev/mcp/organization/project' },
  'windsurf-3.json': { 'browser-gpt': 'node /home/me/chatgpt-mcp-v2.js' },
  'zed-1.jsonc': {},
  'zed-2.json': {},
  'zed-3.json': { 'rails-ai-context': 'npx -y @crisnahine/rails-ai-context', git: 'uvx mcp-server-git' },
}

const read = async (file: string, variables: object = {}) => {
  const text = await readFile(`${FILES}/${file}`, 'utf8')
  return readConfig(text, { env: {}, directory: DIRECTORY, allowNoServers: true, ...variables })
}

test('each file is in the table', async () => {
  expect((await readdir(FILES)).sort()).toEqual(Object.keys(SERVERS).sort())
})

test.each(Object.entries(SERVERS))('%s', async (file, expected) => {
  const { servers, warnings } = await read(file)
  const found = servers.map((server) => {
    if ('disabled' in server) return [server.name, OFF]
    if ('error' in server) return [server.name, { needs: server.error.message }]
    const { target } = server
    return [server.name, target instanceof URL ? target.href : [target.command, ...(target.args ?? [])].join(' ')]
  })
  const wanted = Object.entries(expected).map(([name, one]) => [
    name,
    typeof one === 'object' && 'needs' in one ? { needs: expect.stringContaining(one.needs) } : one,
  ])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
  expect(warnings.filter((warning) => warning.includes('did you mean'))).toEqual([])
})

describe('with what they need', () => {
  test('inputs and variables', async () => {
    const env = {
      MEMOS_MCP_PAT: 't',
      INPUT_HOME_ASSISTANT_DOMAIN: 'home.example.com',
      INPUT_HOME_ASSISTANT_TOKEN: 't',
      INPUT_JENKINS_BASIC_AUTH: 'b',
    }
    expect((await read('vscode-3.jsonc', { env })).servers).toMatchObject([
      { target: new URL('https://home.example.com/mcp_server/sse'), headers: { Authorization: 'Bearer t' } },
    ])
    expect((await read('claude-code-1.json', { env })).servers).toMatchObject([{ headers: { Authorization: 'Basic b' } }])
    expect((await read('codex-2.toml', { env })).servers).toMatchObject([
      {
        headers: { authorization: 'Bearer t' },
        tools: { include: ['memo_list_memos', 'memo_get_memo'], exclude: ['memo_delete_memo'] },
      },
    ])
  })

  test('a file without servers is an error by default', async () => {
    await expect(read('codex-3.toml', { allowNoServers: false })).rejects.toThrow('has none of the members')
  })
})
