import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { COMMAND, type CommandOutcome, DEMO, portcall, STDIO } from './support/portcall.ts'

const FIXTURES = fileURLToPath(new URL('fixtures/hosts/', import.meta.url))

/** The configuration files of the hosts on Linux, relative to the home directory. */
const FILES: { [host: string]: string } = {
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  'claude-code': '.claude.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
  windsurf: '.codeium/windsurf/mcp_config.json',
  zed: '.config/zed/settings.json',
  'gemini-cli': '.gemini/settings.json',
  codex: '.codex/config.toml',
}
/** The entry of a remote server in each host. */
const REMOTE: { [host: string]: object | undefined } = {
  'claude-desktop': undefined,
  'claude-code': { type: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } },
  cursor: { url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } },
  vscode: { type: 'http', url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } },
  windsurf: { serverUrl: 'https://a.example/mcp', headers: { 'X-Key': 'k' } },
  zed: { url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } },
  'gemini-cli': { httpUrl: 'https://a.example/mcp', headers: { 'X-Key': 'k' } },
}
const HOSTS = Object.keys(FILES)
const JSON_HOSTS = HOSTS.filter((host) => host !== 'codex')

let home: string
let env: Record<string, string>
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'portcall-hosts-'))
  env = { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: join(home, '.codex') }
})

const fileOf = (host: string): string => join(home, FILES[host]!)
const textOf = (host: string): Promise<string> => readFile(fileOf(host), 'utf8')

/** Copies the fixture of a host to its configuration file. Returns the text. */
async function copyFixture(host: string): Promise<string> {
  const text = await readFile(join(FIXTURES, `${host}.config`), 'utf8')
  await mkdir(dirname(fileOf(host)), { recursive: true })
  await writeFile(fileOf(host), text, { mode: 0o640 })
  return text
}
const commentsOf = (text: string): string[] => text.match(/(?<!:)\/\/.*|\/\*[\s\S]*?\*\/|# .*/g) ?? []
const install = (host: string, ...args: string[]): ReturnType<typeof portcall> =>
  portcall(['install', '--name', 'demo', '--to', host, '--env', 'A=b', ...args, '--', process.execPath, STDIO], { env })

describe.each(HOSTS)('%s', (host) => {
  test('installing and uninstalling restores the file', async () => {
    const text = await copyFixture(host)
    expect(await install(host)).toMatchObject({ code: 0, out: '' })
    const installed = await textOf(host)
    expect(installed).toContain(STDIO)
    expect(commentsOf(installed)).toEqual(commentsOf(text))
    for (const line of text.split(/\r?\n/).filter((one) => one.trim().length > 3)) expect(installed).toContain(line.trim())
    expect((await stat(fileOf(host))).mode & 0o777).toBe(0o640)
    const backups = (await readdir(dirname(fileOf(host)))).filter((name) => name.endsWith('.bak'))
    expect(await readFile(join(dirname(fileOf(host)), backups[0]!), 'utf8')).toBe(text)

    expect(await portcall(['uninstall', 'demo', '--to', host], { env })).toMatchObject({ code: 0 })
    expect(await textOf(host)).toBe(text)
  })

  test('a dry run shows the changes and makes none', async () => {
    const text = await copyFixture(host)
    const { out, code } = await install(host, '--dry-run')
    expect(code).toBe(0)
    expect(out).toMatch(/^\+ .*demo/m)
    expect(await textOf(host)).toBe(text)
    expect(await readdir(dirname(fileOf(host)))).toHaveLength(1)
  })

  test('another server of the same name is replaced only with --force', async () => {
    await copyFixture(host)
    await install(host)
    expect(await install(host)).toMatchObject({ code: 0, err: expect.stringContaining('no changes to') })
    const other = ['install', '--name', 'demo', '--to', host, '--', 'other']
    expect(await portcall(other, { env })).toMatchObject({ code: 2, err: expect.stringContaining('--force') })
    expect(await portcall([...other.slice(0, 5), '--force', ...other.slice(5)], { env })).toMatchObject({ code: 0 })
    expect(await textOf(host)).toContain('other')
    expect(await textOf(host)).not.toContain(STDIO)
  })

  test('a missing file is created', async () => {
    expect(await install(host)).toMatchObject({ code: 0 })
    expect(await textOf(host)).toContain(STDIO)
    expect((await stat(fileOf(host))).mode & 0o777).toBe(0o600)
  })

  test('a file that cannot be parsed is not changed', async () => {
    await copyFixture(host)
    await writeFile(fileOf(host), '{ "secret": "s3cret" "x"')
    const { code, err } = await install(host)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('it was not changed') })
    expect(err).not.toContain('s3cret')
    expect(await textOf(host)).toBe('{ "secret": "s3cret" "x"')
  })
})

describe.each(JSON_HOSTS)('the entry for %s', (host) => {
  test('is a valid configuration', async () => {
    await copyFixture(host)
    await install(host)
    expect(await portcall(['call', `${fileOf(host)}:demo`, 'greet', 'name=Ada'], { env })).toMatchObject({
      code: 0,
      out: 'Hello, Ada!\n',
    })
  })

  test('a server over HTTP', async () => {
    const { code, err } = await portcall(['install', 'https://a.example/mcp', '--name', 'far', '--to', host, '-H', 'X-Key: k'], {
      env,
    })
    const expected = REMOTE[host]
    expect({ code, err }).toMatchObject(
      expected ? { code: 0 } : { code: 2, err: expect.stringContaining('supports only programs') },
    )
    if (expected)
      expect(JSON.parse(await textOf(host))).toEqual({
        [host === 'vscode' ? 'servers' : host === 'zed' ? 'context_servers' : 'mcpServers']: { far: expected },
      })
  })
})

test('the entry for codex is TOML', async () => {
  await portcall(['install', 'https://a.example/mcp', '--name', 'far away', '--to', 'codex', '-H', 'X-Key: k'], { env })
  expect(await textOf('codex')).toBe('[mcp_servers."far away"]\nurl = "https://a.example/mcp"\nhttp_headers = { X-Key = "k" }\n')
})

test('several hosts are changed together or not at all', async () => {
  await writeFile(join(home, '.claude.json'), 'broken')
  expect(await portcall(['install', '--name', 'x', '--to', 'cursor', '--to', 'claude-code', '--', 'x'], { env })).toMatchObject({
    code: 2,
  })
  await expect(textOf('cursor')).rejects.toThrow('ENOENT')
})

test('a module, a project, a link', async () => {
  await mkdir(join(home, 'dotfiles'))
  await writeFile(join(home, 'dotfiles', 'mcp.json'), '{}')
  await mkdir(join(home, '.cursor'))
  await symlink(join(home, 'dotfiles', 'mcp.json'), join(home, '.cursor', 'mcp.json'))
  await portcall(['install', DEMO, '--name', 'mine', '--to', 'cursor', '--project'], { env, cwd: home })
  expect(JSON.parse(await readFile(join(home, 'dotfiles', 'mcp.json'), 'utf8')).mcpServers.mine.args).toContain(DEMO)
  expect(await portcall(['call', `${fileOf('cursor')}:mine`, 'greet', 'name=Ada'], { env })).toMatchObject({
    out: 'Hello, Ada!\n',
  })
  expect(homedir()).not.toBe(home)
})

test('commands that run at the same time keep the entries of each other, and of the host', async () => {
  await copyFixture('cursor')
  const names = Array.from({ length: 6 }, (_, at) => `server-${at}`)
  const runs = names.map((name) => portcall(['install', '--name', name, '--to', 'cursor', '--', 'node', STDIO], { env }))
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(names.map(() => 0))
  const { mcpServers } = JSON.parse(await textOf('cursor')) as { mcpServers: object }
  expect(Object.keys(mcpServers)).toEqual(expect.arrayContaining(names))
  expect((await readdir(dirname(fileOf('cursor')))).filter((name) => /\.(lock|tmp)/.test(name))).toEqual([])
})

test('a file that names its servers twice is not changed', async () => {
  const text = '{ "mcpServers": { "a": { "command": "a" } }, "mcpServers": {} }'
  await mkdir(dirname(fileOf('cursor')), { recursive: true })
  await writeFile(fileOf('cursor'), text)
  expect(await install('cursor')).toMatchObject({ code: 2, err: expect.stringContaining('"mcpServers" more than once') })
  expect(await textOf('cursor')).toBe(text)
})

test('if one of several files cannot be written, none is changed', async () => {
  const text = await copyFixture('cursor')
  await copyFixture('vscode')
  await rm(fileOf('vscode'))
  await mkdir(fileOf('vscode'))
  const { code } = await portcall(['install', '--name', 'demo', '--to', 'cursor', '--to', 'vscode', '--', 'node', STDIO], {
    env,
  })
  expect(code).not.toBe(0)
  expect(await textOf('cursor')).toBe(text)
})

describe('an entry works in any directory', () => {
  const PACKAGE = join(dirname(COMMAND), '..', '..')
  const SERVER = `import { createServer } from 'portcall'
export const server = createServer({ name: 'a', version: '1.0.0' }).tool('greet', { description: 'Greets' }, () => 'Hello!')
`
  const FILES: { [path: string]: string } = {
    'package.json': '{ "type": "module", "scripts": { "stdio": "node dist/stdio.js" } }',
    'src/server.ts': `${SERVER}const unused: number = 1\n`,
    'dist/server.js': SERVER,
    'dist/stdio.js':
      "import { serveStdio } from 'portcall/stdio'\nimport { server } from './server.js'\nawait serveStdio(server)\n",
    'hook.js': '',
    '.env': 'A=b\n',
  }

  let project: string
  beforeEach(async () => {
    project = join(home, 'project')
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(project, path)), { recursive: true })
      await writeFile(join(project, path), text)
    }
    await mkdir(join(project, 'node_modules', '.bin'), { recursive: true })
    await symlink(PACKAGE, join(project, 'node_modules', 'portcall'))
    await symlink('../portcall/dist/cli/main.js', join(project, 'node_modules', '.bin', 'portcall'))
  })

  const installHere = (...args: string[]): Promise<CommandOutcome> =>
    portcall(['install', '--name', 'mine', '--to', 'claude-code', ...args], { env, cwd: project })
  const listElsewhere = (): Promise<CommandOutcome> =>
    portcall(['list', '--env', 'PATH', `${fileOf('claude-code')}:mine`], { env, cwd: '/' })

  test.each([
    ['dist/server.js'],
    ['-- node dist/stdio.js'],
    ['-- node --env-file=.env --import ./hook.js dist/stdio.js'],
    ['-- npm run stdio'],
    ['-- npx portcall serve dist/server.js --stdio'],
    ['-- portcall serve dist/server.js --stdio'],
    ['--cwd dist -- node stdio.js'],
  ])('%s', async (line) => {
    expect(await installHere(...line.split(' '))).toMatchObject({ code: 0 })
    expect(await listElsewhere()).toMatchObject({ code: 0, out: expect.stringContaining('greet') })
  })

  test.each([
    ['-- node dist/nope.js', 'no such file: dist/nope.js'],
    ['-- node dist/server.js', 'write portcall install dist/server.js --name NAME --to HOST'],
    ['-- npm run nope', 'has no script nope'],
    ['dist/stdio.js', 'dist/stdio.js exports no server'],
  ])('%s is refused', async (line, message) => {
    const { code, err } = await installHere(...line.split(' '))
    expect(err).toContain(message)
    expect(code).toBeGreaterThan(0)
    await expect(textOf('claude-code')).rejects.toThrow('ENOENT')
    expect(await installHere('--force', ...line.split(' '))).toMatchObject({ code: 0 })
  })

  test('a module that this version of Node cannot run is refused as list refuses it', async () => {
    const listed = await portcall(['list', 'src/server.ts'], { env, cwd: project })
    const installed = await installHere('src/server.ts')
    expect(installed).toMatchObject({ code: listed.code, err: listed.code === 0 ? expect.anything() : listed.err })
    if (listed.code !== 0) expect(await installHere('--', 'node', 'src/server.ts')).toEqual(installed)
  })
})
