/** Files of hosts as people have published them, through `portcall gateway check`. Their programs are replaced by one that lists a tool. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { portcall } from './support/portcall.ts'

const FILES = fileURLToPath(new URL('../../packages/portcall/src/connect/config/public-files/', import.meta.url))
const COMMANDS = ['npx', 'uvx', 'docker', 'php', 'python', 'python3', 'graft', 'tsx', 'aspire', 'sauron', 'node', 'bash', 'bun']
const PROGRAM = `#!${process.execPath}
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'probe', inputSchema: { type: 'object' } }] },
}
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) send({ id, result: results[method] ?? {} })
})`

let bin = ''
beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), 'portcall-public-'))
  await writeFile(join(bin, 'program.cjs'), PROGRAM)
  await chmod(join(bin, 'program.cjs'), 0o755)
  for (const command of COMMANDS) await symlink('program.cjs', join(bin, command))
  return () => rm(bin, { recursive: true, force: true })
})

/** Variables that the files need. */
const VARIABLES = {
  MEMOS_MCP_PAT: 't',
  PROXY_MAX_CLASS: '1',
  GITHUB_PERSONAL_ACCESS_TOKEN: 't',
  TAVILY_API_KEY: 't',
  GROQ_API_KEY: 't',
  INPUT_HOME_ASSISTANT_DOMAIN: '127.0.0.1:9',
  INPUT_HOME_ASSISTANT_TOKEN: 't',
  INPUT_JENKINS_BASIC_AUTH: 'b',
}

/** Only what is on this machine is started: programs that the test has replaced. */
const isReplaced = (text: string): boolean => !/https?:\/\/|envFile|:\\\\|"command": "\/|command = "\//.test(text)
const files = (await readdir(FILES)).filter((file) => !file.startsWith('claude-code-2'))
const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(FILES, file), 'utf8')] as const))
const replaced = texts.filter(([, text]) => isReplaced(text) && /"(command|mcpServers)"|cmd:|command =/.test(text))

test('most kinds of files are tried', () => {
  expect(new Set(replaced.map(([file]) => file.split('-')[0])).size).toBeGreaterThanOrEqual(7)
})

// On Windows, the programs would have to be .cmd files.
test.skipIf(process.platform === 'win32').each(replaced)('%s', async (file) => {
  const env = { ...VARIABLES, PATH: bin, PORTCALL_HOME: bin }
  const { code, out, err } = await portcall(['gateway', 'check', '--config', join(FILES, file), '--json'], { env, cwd: bin })
  const { servers } = JSON.parse(out) as { servers: { tools?: string[]; error?: string; name: string }[] }
  expect(servers.filter(({ error }) => error !== undefined)).toEqual([])
  expect({ code, err }).toMatchObject({ code: 0 })
  for (const { tools } of servers) expect(tools).toEqual([expect.stringMatching(/__probe(_|$)/)])
})

test.skipIf(process.platform === 'win32')('a host without servers does not keep those of another host away', async () => {
  const home = await mkdtemp(join(tmpdir(), 'portcall-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  for (const [folder, name, file] of [
    ['.codex', 'config.toml', 'codex-3.toml'],
    ['.cursor', 'mcp.json', 'cursor-2.json'],
  ] as const) {
    await mkdir(join(home, folder))
    await writeFile(join(home, folder, name), await readFile(join(FILES, file), 'utf8'))
  }
  const env = { HOME: home, CODEX_HOME: '', PATH: bin, PORTCALL_HOME: home }
  const { code, out } = await portcall(['gateway', 'check', '--from', 'codex', '--from', 'cursor', '--json'], { env, cwd: home })
  expect(code).toBe(0)
  expect(JSON.parse(out).servers).toMatchObject([{ name: 'sequential-thinking' }])
})
