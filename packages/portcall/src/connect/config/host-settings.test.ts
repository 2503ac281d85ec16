import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'

const url = 'http://a/'
const read = async (config: object, options: object = {}): Promise<any> => {
  const { servers, warnings } = await readConfig(config, { env: {}, ...options })
  return { ...Object.fromEntries(servers.map((server) => [server.name, server])), warnings }
}

describe('tools that a host switches off', () => {
  test.each([
    ['Codex', { enabled_tools: ['a', 'b'], disabled_tools: ['b'] }, { include: ['a', 'b'], exclude: ['b'] }],
    ['Codex, none', { enabled_tools: [] }, { include: [] }],
    ['Gemini CLI', { includeTools: ['a(x)', 'b'], excludeTools: ['c'] }, { include: ['a', 'b'], exclude: ['c'] }],
    ['Copilot CLI', { tools: ['a'] }, { include: ['a'] }],
    ['Copilot CLI, all', { tools: ['*'] }, undefined],
    ['Goose', { available_tools: ['a'] }, { include: ['a'] }],
    ['Goose, all', { available_tools: [] }, undefined],
    ['Kiro, Roo Code, Windsurf', { disabledTools: ['a'] }, { exclude: ['a'] }],
    ['Crush', { disabled_tools: ['a'] }, { exclude: ['a'] }],
    ['an empty list', { disabledTools: [], excludeTools: [] }, undefined],
    ['a single name', { enabled_tools: 'a', disabledTools: 'b' }, { include: ['a'], exclude: ['b'] }],
    ['null', { enabled_tools: null, disabledTools: null }, undefined],
  ])('%s', async (_host, fields, tools) => {
    const { a, warnings } = await read({ mcpServers: { a: { url, ...fields } } })
    expect(a.tools).toEqual(tools)
    expect(warnings).toEqual([])
  })

  test('opencode', async () => {
    const tools = { a_x: false, a_y: true, 'b*': false, bash: false }
    const { a, b, c } = await read({ mcp: { a: { url }, b: { url }, c: { url } }, tools })
    expect([a.tools, b.tools, c.tools]).toEqual([{ exclude: ['x'] }, { exclude: ['*'] }, undefined])
  })

  test.each([
    ['the start of a name', { 'my-*': false }, { exclude: ['*'] }],
    ['everything', { '*': false }, { exclude: ['*'] }],
    ['everything but one', { '*': false, 'my-srv_1_a': true }, { include: ['a'] }],
    [
      'everything but some',
      { 'my-srv_1*': false, 'my-srv_1_a*': true, 'my-srv_1_ab': false },
      { include: ['a*'], exclude: ['ab'] },
    ],
    ['one tool of all servers', { '*_x': false }, { exclude: ['*_x', 'x'] }],
    ['the end of a name', { 'my-srv_1_a*b': false }, { exclude: ['a*b'] }],
    ['another server', { 'my-other*': false, 'my-srv': false }, undefined],
  ])('opencode, a pattern for %s', async (_what, tools, filter) => {
    const { 'my-srv.1': server } = await read({ mcp: { 'my-srv.1': { url } }, tools })
    expect(server.tools).toEqual(filter)
  })

  test('tools that are switched off elsewhere', async () => {
    const disabledTools = ['a__x', 'my_srv__*', 'b_c__y', 'other__z']
    const servers = { a: { url, disabledTools: ['x', 'w'] }, 'my srv': { url }, b: { url }, b_c: { url } }
    const { warnings, ...found } = await read({ mcpServers: servers }, { disabledTools })
    const tools = Object.fromEntries(Object.entries(found).map(([name, server]: [string, any]) => [name, server.tools]))
    expect(tools).toEqual({ a: { exclude: ['x', 'w'] }, 'my srv': { exclude: ['*'] }, b: undefined, b_c: { exclude: ['y'] } })
    expect(warnings).toEqual([])
  })

  test.each([
    ['disabledTools', { a: true }],
    ['disabledTools', ['a', 7]],
    ['enabled_tools', true],
    ['excludeTools', 7],
  ])('%s of another form makes the server unusable: %j', async (field, value) => {
    const { a } = await read({ mcpServers: { a: { url, [field]: value } } })
    expect(a.error.message).toBe(`The server a has an invalid configuration: ${field} must be an array of strings`)
  })
})

test.each([
  ['disabled', 'true'],
  ['disabled', 1],
  ['enabled', 'false'],
  ['enabled', 'no'],
  ['isActive', 0],
])('a server whose switch is not a boolean is unusable: %s: %j', async (field, value) => {
  const { a } = await read({ mcpServers: { a: { url, [field]: value } } })
  expect(a.error.message).toBe(`The server a has an invalid configuration: ${field} must be true or false`)
  const off = await read({ mcpServers: { a: { url, [field]: value } }, disabledMcpServers: ['a'] })
  expect(off.a).toEqual({ name: 'a', disabled: true })
})

describe('servers that a host switches off outside their entries', () => {
  const mcpServers = { a: { url }, b: { url } }

  test.each([
    ['Gemini CLI, excluded', { mcp: { excluded: ['a'] } }],
    ['Gemini CLI, not allowed', { mcp: { allowed: ['b'] } }],
    ['Gemini CLI, a single name', { mcp: { excluded: 'a' } }],
    ['Gemini CLI, formerly', { excludeMCPServers: ['a'] }],
    ['Gemini CLI, formerly not allowed', { allowMCPServers: ['b'] }],
    ['Claude Code', { disabledMcpServers: ['a'] }],
    ['Claude Code, in this project', { projects: { '/work/p': { disabledMcpServers: ['a'] } } }],
  ])('%s', async (_host, settings) => {
    const { a, b, warnings } = await read({ mcpServers, ...settings }, { directory: '/work/p' })
    expect(a).toEqual({ name: 'a', disabled: true })
    expect(b).toHaveProperty('target')
    expect(warnings).toEqual(['The server a is disabled'])
  })

  test('not those of another project', async () => {
    const projects = { '/work/other': { disabledMcpServers: ['a'], mcpServers: { c: { url } } } }
    const read1 = await read({ mcpServers, projects }, { directory: '/work/p' })
    expect(read1.a).toHaveProperty('target')
    expect(read1.c).toBeUndefined()
  })
})

test('the servers of a project in the settings of Claude Code come before those of the user', async () => {
  const projects = { '/work/p': { mcpServers: { a: { url: 'http://local/' }, mine: { url } } } }
  const { a, b, mine } = await read({ mcpServers: { a: { url }, b: { url } }, projects }, { directory: '/work/p' })
  expect(a.target.href).toBe('http://local/')
  expect([b, mine]).toEqual([expect.objectContaining({ name: 'b' }), expect.objectContaining({ name: 'mine' })])
  expect((await read({ projects }, { directory: '/work/p' })).mine).toHaveProperty('target')
})

test('references to extensions, of which only the host knows the target, are left out', async () => {
  const { warnings, ...servers } = await read({
    context_servers: {
      ext: { source: 'extension', settings: { key: 'x' } },
      old: { settings: {} },
      a: { source: 'custom', command: 'x' },
    },
    mcpServers: [{ uses: 'owner/name' }, { name: 'b', url }],
  })
  expect(Object.keys(servers)).toEqual(['b', 'a'])
  expect(warnings).toHaveLength(3)
  expect(warnings).toContain('owner/name is part of its host, or an extension of it, so it is ignored')
  for (const warning of warnings) expect(warning).toContain('is part of its host, or an extension of it, so it is ignored')
})

test('fields that only the host honors are named, if they change what a server may do or how it signs in', async () => {
  const fields = { headersHelper: 'x', oauth: { clientId: 'x' }, authProviderType: 'google', apiKey: 'k', sandboxEnabled: true }
  const { warnings } = await read({ mcpServers: { a: { url, ...fields }, b: { url, oauth: false, timeout: 1, trust: true } } })
  expect(warnings.map((text: string) => /^The server a: (\w+) is ignored: ./.exec(text)?.[1])).toEqual(Object.keys(fields))
})

describe('the directory of the project', () => {
  test.each([
    [{ cwd: 'tools' }, '/work/p/tools'],
    [{ cwd: './tools' }, '/work/p/tools'],
    [{ cwd: '/opt' }, '/opt'],
    [{ cwd: 'C:\\x' }, 'C:\\x'],
    [{ cwd: '${workspaceFolder}/x' }, '/work/p/x'],
    [{ cwd: '${workspaceFolder:p}/x' }, '/work/p/x'],
    [{ cwd: '${CLAUDE_PROJECT_DIR}' }, '/work/p'],
    [{}, '/work/p'],
  ])('is where a program starts, and where its cwd begins: %j', async (fields, cwd) => {
    expect((await read({ mcpServers: { a: { command: 'x', ...fields } } }, { directory: '/work/p' })).a.target.cwd).toBe(cwd)
  })

  test('is the working directory in variables by default, and a program starts where it is started', async () => {
    const { a } = await read({ mcpServers: { a: { command: 'x', args: ['${workspaceFolder}'] } } })
    expect(a.target).toEqual({ command: 'x', args: [process.cwd()], env: {} })
  })
})

test('inputs are passed, named by a variable, or have a default', async () => {
  const config = {
    inputs: [
      { id: 'region', type: 'pickString', default: 'eu' },
      { id: 'api-key', type: 'promptString' },
    ],
    servers: { a: { command: 'x', args: ['${input:region}', '${input:api-key}', '${{ secrets.TOKEN }}'] } },
  }
  const env = { INPUT_API_KEY: 'k1', TOKEN: 't' }
  expect((await read(config, { env })).a.target.args).toEqual(['eu', 'k1', 't'])
  expect((await read(config, { env, inputs: { region: 'us', 'api-key': 'k2' } })).a.target.args).toEqual(['us', 'k2', 't'])
})
