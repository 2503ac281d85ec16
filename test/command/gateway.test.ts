import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { createWorkspace, isRunning, startGateway, type Workspace } from './support/gateway.ts'
import { COMMAND, DEMO, portcall, STDIO, serveModule } from './support/portcall.ts'

const STUBBORN = fileURLToPath(new URL('fixtures/stubborn.mjs', import.meta.url))
const WHERE = fileURLToPath(new URL('fixtures/where.mjs', import.meta.url))
const DEMO_SERVER = { command: process.execPath, args: [STDIO] }
const DEAD = { url: 'http://127.0.0.1:9/mcp' }

async function connectTo(url: string, protocolVersion?: string): Promise<Client> {
  const client = await connect(url, protocolVersion === undefined ? {} : { protocolVersion })
  onTestFinished(client.close)
  return client
}
const textOf = async (client: Client, name: string, args = {}): Promise<unknown> => {
  const { content } = await client.callTool(name, args)
  return content[0]?.type === 'text' ? content[0].text : content
}
const gateway = ({ file, env, dir }: Workspace, ...args: string[]): ReturnType<typeof portcall> =>
  portcall(['gateway', ...args, ...(args[0] === 'check' || args.includes('--dry-run') ? ['--config', file] : [])], {
    env,
    cwd: dir,
  })

describe('portcall gateway', () => {
  test('serves programs, URLs and dead servers as one, and reports their state', async () => {
    const silent = { command: process.execPath, args: ['-e', 'console.log("On port 1"); setInterval(() => {}, 9999)'] }
    const servers = { demo: DEMO_SERVER, web: { url: await serveModule() }, dead: DEAD, silent }
    const workspace = await createWorkspace({ mcpServers: servers, gateway: { servers: { silent: { connectTimeoutMs: 3000 } } } })
    const { url, child, end, log } = await startGateway(workspace)
    const client = await connectTo(url)
    const names: string[] = []
    for await (const { name } of client.tools()) names.push(name)
    expect(names.filter((name) => name.endsWith('__greet'))).toEqual(['demo__greet', 'web__greet'])
    expect(await textOf(client, 'demo__greet', { name: 'Ada' })).toBe('Hello, Ada!')
    const listed = await portcall(['list', url])
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('demo__greet') })
    expect(listed.err).toMatch(/^the server dead is not available: .*ECONNREFUSED/m)
    expect(listed.err.match(/dead/g)).toHaveLength(1)
    expect((await portcall(['list', url, '--json'])).err).toBe('')
    const table = await gateway(workspace, 'status')
    expect(table.out).toMatch(/demo +ready .* 1 +0 +0 /)
    expect(table.out).toMatch(/ TOOLS +TOKENS /)
    expect(table.out).toMatch(/dead +failing .*ECONNREFUSED/)
    const status = JSON.parse((await gateway(workspace, 'status', '--json')).out)
    expect(status).toMatchObject({ endpoint: url, servers: { demo: { state: 'ready', calls: 1 }, dead: { state: 'failing' } } })
    // The same names, so the same tokens, as a check of the gateway itself, but for rounding.
    const { toolTokens } = JSON.parse((await portcall(['check', url, '--json'])).out)
    const sum = status.servers.demo.toolTokens + status.servers.web.toolTokens
    expect(Math.abs(sum - toolTokens) / toolTokens).toBeLessThan(0.01)
    expect(log()).toMatch(/dead: not available: .*ECONNREFUSED.*; next attempt in \d+ s/)
    await eventually(() => expect(log()).toMatch(/silent: not available: .* stdout.*: On port 1; next attempt/))
    child.kill('SIGTERM')
    expect((await end).code).toBe(0)
    expect(await gateway(workspace, 'status')).toMatchObject({ code: 4, err: expect.stringContaining('no gateway is running') })
  })

  test('over stdio, for a client of an older revision', async () => {
    const { file, env } = await createWorkspace({ mcpServers: { demo: DEMO_SERVER } })
    const target = { command: process.execPath, args: [COMMAND, 'gateway', '--config', file, '--stdio'], env }
    const client = await connect(target, { protocolVersion: '2025-06-18' })
    onTestFinished(client.close)
    expect(await textOf(client, 'demo__greet', { name: 'Ada' })).toBe('Hello, Ada!')
  })

  test.each([
    { from: 'the option', gateway: {}, args: ['--search'] },
    { from: 'the configuration', gateway: { search: { limit: 2 } }, args: [] },
  ])('lists three tools with search from $from', async ({ gateway: section, args }) => {
    const { file, env } = await createWorkspace({ mcpServers: { demo: DEMO_SERVER }, gateway: section })
    const target = { command: process.execPath, args: [COMMAND, 'gateway', '--config', file, '--stdio', ...args], env }
    const client = await connect(target, { protocolVersion: '2025-06-18' })
    onTestFinished(client.close)
    const names = (await client.tools().toArray()).map(({ name }) => name)
    expect(names).toEqual(['search_tools', 'describe_tool', 'call_tool'])
    expect(await textOf(client, 'search_tools', { query: 'greet a person' })).toMatch(/^demo__greet\(/)
    expect(await textOf(client, 'call_tool', { name: 'demo__greet', arguments: { name: 'Ada' } })).toBe('Hello, Ada!')
  })

  test('with --json, an error in the configuration names everything that is wrong', async () => {
    const { file, env } = await createWorkspace({ mcpServers: {}, gateway: { listne: {}, audti: '' } })
    const { code, err } = await portcall(['gateway', '--json', '--config', file], { env })
    expect(code).toBe(2)
    const { error } = JSON.parse(err)
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', exit: 2 })
    expect(error.message).toMatch(/listne is not a known key.*\n.*audti is not a known key/)
  })

  test('a wrong path gets the path of the endpoint', async () => {
    const { url } = await startGateway(await createWorkspace({ mcpServers: { demo: DEMO_SERVER } }))
    const { err } = await portcall(['list', url.replace(/mcp$/, 'other')])
    expect(err).toContain(`the endpoint is at /mcp. Connect to ${url} instead of`)
  })

  test('check connects to all servers, --dry-run to none', async () => {
    const workspace = await createWorkspace({ mcpServers: { demo: DEMO_SERVER, dead: DEAD } })
    const check = await gateway(workspace, 'check')
    expect(check.code).toBe(1)
    expect(check.out).toMatch(/ok +demo +\d+ tools/)
    expect(check.out).toMatch(/FAILED +dead .*ECONNREFUSED/)
    const plan = await gateway(workspace, '--dry-run', '--json')
    expect(JSON.parse(plan.out)).toMatchObject({
      endpoint: 'http://127.0.0.1:3000/mcp',
      servers: [{ name: 'demo' }, { name: 'dead' }],
    })
  })

  test('a program that is killed again and again is logged and counted each time', async () => {
    const demo = { command: process.execPath, args: [WHERE] }
    const workspace = await createWorkspace({ mcpServers: { demo } })
    const { url, log } = await startGateway(workspace)
    const client = await connectTo(url)
    for (let times = 1; times <= 3; times++) {
      process.kill(Number(await textOf(client, 'demo__pid')), 'SIGKILL')
      await eventually(() =>
        expect(log().match(/demo: lost: .*SIGKILL.*; the next request starts it again/g)).toHaveLength(times),
      )
      await eventually(() => textOf(client, 'demo__pid'))
    }
    const [status] = JSON.parse(`[${(await gateway(workspace, 'status', '--json')).out}]`)
    expect(status.servers.demo.restarts).toBe(3)
  })

  test('values of variables are neither printed nor logged, whatever fails', async () => {
    const key = 'c4nary/ ü"\\0123456789'
    const lost = `console.error('cannot use ' + process.argv[1]); process.exit(3)`
    const workspace = await createWorkspace({
      mcpServers: {
        refused: { url: 'http://127.0.0.1:1/s/${TEST_KEY}/mcp', headers: { 'x-key': 'k' } },
        missing: { command: '/no/${TEST_KEY}', args: ['${TEST_KEY}'] },
        lost: { command: process.execPath, args: ['-e', lost, '${TEST_KEY}'], env: { K: '${TEST_KEY}' } },
        fine: DEMO_SERVER,
      },
      gateway: { servers: { missing: { alias: 'm' } } },
    })
    workspace.env.TEST_KEY = key
    const printed = [
      await gateway(workspace, 'check'),
      await gateway(workspace, '--dry-run'),
      await gateway(workspace, '--dry-run', '--json'),
    ]
    expect(printed[1]?.out).toMatch(/missing .*\/no\/\$\{TEST_KEY\}/)
    expect(printed[2]?.out).toContain('http://127.0.0.1:1/s/${TEST_KEY}/mcp')
    const { url, log } = await startGateway(workspace, '--verbose')
    const client = await connectTo(url)
    await client.tools().toArray()
    for (const text of ['refused: not available', 'missing: not available', '[lost] cannot use ${TEST_KEY}'])
      await eventually(() => expect(log()).toContain(text))
    printed.push(await gateway(workspace, 'status'), await gateway(workspace, 'status', '--json'))
    await workspace.write({ mcpServers: { a: DEMO_SERVER }, gateway: { sealingKeys: '${TEST_KEY}' } })
    await eventually(() => expect(log()).toContain('expected array, got "${TEST_KEY}"'))
    printed.push(await gateway(workspace, 'status'))
    expect(printed.map(({ out, err }) => out + err).join('\n') + log()).not.toMatch(/c4nary|0123456789/)
  })

  test('check estimates the same tokens as portcall check, if the names are the same', async () => {
    const workspace = await createWorkspace({ mcpServers: { demo: DEMO_SERVER }, gateway: { names: { mode: 'never' } } })
    const [own, direct] = await Promise.all([gateway(workspace, 'check', '--json'), portcall(['check', DEMO, '--json'])])
    const { toolTokens, tokensByTool } = JSON.parse(direct.out)
    expect(JSON.parse(own.out)).toMatchObject({ warnings: [], servers: [{ name: 'demo', tokens: toolTokens, tokensByTool }] })
    expect(tokensByTool.length).toBeGreaterThan(5)
  })

  test('check warns if hosts accept fewer tools than all servers, or a set, offer together', async () => {
    const many = (count: number): object => {
      const tools = Array.from({ length: count }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } }))
      const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id } = JSON.parse(line)
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }
        console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, tools: ${JSON.stringify(tools)} } }))
      })`
      return { command: process.execPath, args: ['-e', program] }
    }
    const workspace = await createWorkspace({ mcpServers: { one: many(64), two: many(65) } })
    expect(await gateway(workspace, 'check')).toMatchObject({
      code: 0,
      err: expect.stringMatching(
        /The servers offer 129 tools together: refused by .*VS Code.*; cut by .*Windsurf.*gateway\.search/,
      ),
    })
    const sets = { some: { exclude: 'one__t6*' }, few: { tools: 'one__*' }, found: { search: true } }
    await workspace.write({ mcpServers: { one: many(64), two: many(65) }, gateway: { sets } })
    const { err } = await gateway(workspace, 'check')
    expect(err).toMatch(/The set some offers 124 tools together: cut by .*Windsurf.*\. Offer fewer with gateway\.sets\.some/)
    expect(err).not.toMatch(/The set (few|found)/)
    await workspace.write({ mcpServers: { one: many(64) } })
    expect((await gateway(workspace, 'check')).err).toBe('')
  })

  test('mistakes', async () => {
    const workspace = await createWorkspace('{\n"mcpServers": {},\n"gateway": { "listne": {}, "nmaes": {} }\n}')
    const { code, err } = await gateway(workspace, '--dry-run')
    expect(code).toBe(2)
    expect(err).toContain('gateway.jsonc: The configuration has 2 errors:\n')
    expect(err).toContain('\n  line 3, column 14: gateway.listne is not a known key; did you mean listen?\n')
    await workspace.write({ mcpServers: {}, gateway: { listen: { host: '0.0.0.0', allowedHosts: ['x'] } } })
    const open = await portcall(['gateway', '--config', workspace.file], { env: workspace.env })
    expect(open).toMatchObject({ code: 2, err: expect.stringContaining('without authorization would let everyone') })
    expect(await gateway(workspace, 'statsu')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean status?') })
    const file = await gateway(workspace, 'my/gateway.json')
    expect(file).toMatchObject({ code: 2, err: expect.stringContaining('use portcall gateway --config my/gateway.json') })
    expect(await portcall(['gateway', '--config', '/no/file'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no such file: /no/file'),
    })
  })

  test.each(['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'])(
    'paths in %s start in its project, and an entry that cannot be used does not stop the others',
    async (name) => {
      const workspace = await createWorkspace('')
      const project = join(workspace.dir, 'project')
      const file = join(project, name)
      await mkdir(join(project, 'tools'), { recursive: true })
      await mkdir(dirname(file), { recursive: true })
      await writeFile(join(project, 'tools/server.mjs'), `import ${JSON.stringify(import.meta.resolve('./fixtures/where.mjs'))}`)
      await writeFile(join(project, '.env'), 'KEY=of the project')
      const args = ['${workspaceFolder}/data']
      const servers = {
        here: { command: process.execPath, args: ['tools/server.mjs', ...args], envFile: '${workspaceFolder}/.env' },
        below: { command: process.execPath, args: ['server.mjs'], cwd: 'tools' },
        prompts: { command: 'x', env: { KEY: '${input:key}' } },
        unset: { url: 'http://127.0.0.1:9/', headers: { a: '${NOT_SET}' } },
        off: { url: 'http://127.0.0.1:9/', disabled: true },
      }
      await writeFile(file, JSON.stringify(name.startsWith('.vscode') ? { servers } : { mcpServers: servers }))
      const { url, log } = await startGateway({ ...workspace, file })
      const client = await connectTo(url)
      const where = async (server: string): Promise<unknown> => JSON.parse(String(await textOf(client, `${server}__where`)))
      expect(await where('here')).toEqual({ cwd: project, key: 'of the project', args: [join(project, 'data')] })
      expect(await where('below')).toEqual({ cwd: join(project, 'tools'), args: [] })
      expect(log()).toContain('The server prompts has an invalid configuration: env.KEY needs the input key')
      expect(log()).toContain('The server unset has an invalid configuration: headers.a needs the variable NOT_SET')
      const check = await portcall(['gateway', 'check', '--config', file], workspace)
      expect(check.code).toBe(1)
      expect(check.out).toMatch(/FAILED +prompts .*input key/)
      const one = await portcall(['call', `${file}:below`, 'where'], workspace)
      expect(JSON.parse(one.out).cwd).toBe(join(project, 'tools'))
    },
  )

  test('check fails for names of tools and prompts that no server has', async () => {
    const section = {
      servers: { demo: { tools: { exclude: ['grete'], rename: { greet: 'hello' } }, prompts: { include: ['nothing', 'any*'] } } },
      policy: {
        default: 'allow',
        rules: [
          { do: 'deny', tools: 'demo__grete' },
          { do: 'deny', servers: 'demo', tools: 'grete' },
        ],
      },
      limits: [{ tools: ['demo__greet', 'demo__grete'], rate: { limit: 1, intervalMs: 1000 } }],
      sets: { a: { tools: 'demo__hello', exclude: 'demo__greet', changes: { demo__grete: { name: 'g' } } } },
      search: { always: ['demo__helo'] },
    }
    const workspace = await createWorkspace({ mcpServers: { demo: DEMO_SERVER }, gateway: section })
    const { code, err } = await portcall(['gateway', 'check', '--config', workspace.file])
    const messages = err.split('\n').filter((line) => line.includes('no server has'))
    expect(messages).toEqual([
      'gateway.servers.demo.tools.exclude names grete, which no server has; did you mean greet?',
      'gateway.servers.demo.prompts.include names nothing, which no server has',
      'gateway.policy.rules[0].tools names demo__grete, which no server has; did you mean demo__greet?',
      'gateway.policy.rules[1].tools names grete, which no server has; did you mean greet?',
      'gateway.limits[0].tools names demo__grete, which no server has; did you mean demo__greet?',
      'gateway.sets.a.exclude names demo__greet, which no server has; did you mean demo__hello?',
      'gateway.sets.a.changes names demo__grete, which no server has; did you mean demo__hello?',
      'gateway.search.always names demo__helo, which no server has; did you mean demo__hello?',
    ])
    expect(code).toBe(1)
    const right = { servers: { demo: { tools: { rename: { greet: 'hello' } } } } }
    const other = await createWorkspace({ mcpServers: { demo: DEMO_SERVER }, gateway: right })
    expect((await portcall(['gateway', 'check', '--config', other.file])).code).toBe(0)
  })

  test('--from reads the configuration of a host', async () => {
    const workspace = await createWorkspace({ gateway: { servers: { demo: { alias: 'd' } } } })
    await writeFile(join(workspace.dir, '.mcp.json'), JSON.stringify({ mcpServers: { demo: DEMO_SERVER } }))
    const { out } = await gateway(workspace, '--dry-run', '--from', 'claude-code')
    expect(out).toMatch(/demo +d +shared/)
  })

  test('protects the endpoint with API keys', async () => {
    const key = 'key_0123456789abcdef'
    const auth = { resource: 'http://127.0.0.1:3000/mcp', apiKeys: [{ subject: 'ci', key: '${TEST_KEY}' }] }
    const workspace = await createWorkspace({ mcpServers: { demo: DEMO_SERVER }, gateway: { auth } })
    const { url } = await startGateway({ ...workspace, env: { ...workspace.env, TEST_KEY: key } })
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    const { out } = await portcall(['call', url, 'demo__greet', 'name=Ada', '--header', `Authorization: Bearer ${key}`])
    expect(out).toBe('Hello, Ada!\n')
    const status = (await portcall(['gateway', 'status', '--json'], { env: workspace.env })).out
    expect(status).not.toContain(key)
  })
})

describe('reloading', () => {
  test('500 reloads under load lose no call', async () => {
    const config = (version: number): object => ({
      mcpServers: {
        stable: DEMO_SERVER,
        ...(version % 2 && { extra: DEAD }),
        changing: { ...DEMO_SERVER, env: { VERSION: String(version % 5) } },
      },
      gateway: {
        policy: { default: 'allow', rules: [{ tools: 'extra__*', do: version % 2 ? 'deny' : 'approve' }] },
        limits: [{ concurrency: { limit: 10 + (version % 3) } }],
        audit: { file: 'audit.jsonl', arguments: version % 2 === 1 },
      },
    })
    const workspace = await createWorkspace(config(0))
    const { url } = await startGateway(workspace, '--no-watch')
    const [run] = JSON.parse(`[${await readFile(await runFileOf(workspace), 'utf8')}]`)
    const client = await connectTo(url)
    let isDone = false
    let calls = 0
    const call = async (name: string): Promise<void> => {
      while (!isDone) {
        expect(await textOf(client, `${name}__greet`, { name: 'Ada' })).toBe('Hello, Ada!')
        calls += 1
      }
    }
    const callers = Promise.all([call('stable'), call('stable'), call('changing')])
    for (let reload = 1; reload <= 500; reload++) {
      // Most reloads change nothing but the dead server; every tenth restarts the changing one.
      await workspace.write({
        ...config(reload),
        ...(reload % 10 && {
          mcpServers: { ...(config(reload - (reload % 10)) as any).mcpServers, ...(reload % 2 && { extra: DEAD }) },
        }),
      })
      const response = await fetch(`http://127.0.0.1:${run.port}/reload`, {
        method: 'POST',
        headers: { authorization: `Bearer ${run.token}` },
      })
      expect(response.status).toBe(200)
    }
    isDone = true
    await callers
    expect(calls).toBeGreaterThan(100)
    const audit = join(workspace.dir, 'audit.jsonl')
    expect((await readFile(audit, 'utf8')).trim().split('\n')).toHaveLength(calls)
    expect(await portcall(['audit', 'verify', audit])).toMatchObject({ code: 0 })
    const status = JSON.parse((await gateway(workspace, 'status', '--json')).out)
    expect(status).toMatchObject({ reloads: 500, servers: { stable: { connections: 1, restarts: 0 } } })
  }, 240_000)

  test('only changed servers restart, and an invalid file changes nothing', async () => {
    const workspace = await createWorkspace({ mcpServers: {} })
    const pids = join(workspace.dir, 'pids')
    const stubborn = { command: process.execPath, args: [STUBBORN], env: { PIDS: pids } }
    await workspace.write({ mcpServers: { one: stubborn, two: stubborn } })
    const { url, log } = await startGateway(workspace)
    const client = await connectTo(url)
    const before = [await textOf(client, 'one__pid'), await textOf(client, 'two__pid')]
    await workspace.write('{ "mcpServers": {\n"one": { "comand": "x" } } }')
    await eventually(() => expect(log()).toContain('The configuration was not reloaded'))
    expect(log()).toContain(
      'gateway.jsonc: The server one has an invalid configuration: comand is not a known key; did you mean command? (line 2, column 10)',
    )
    expect([await textOf(client, 'one__pid'), await textOf(client, 'two__pid')]).toEqual(before)
    const running = client.callTool('two__slow')
    await workspace.write({ mcpServers: { one: stubborn, two: { ...stubborn, env: { PIDS: pids, NEW: '1' } }, three: DEAD } })
    await eventually(() => expect(log()).toContain('The configuration was reloaded: added three; changed two'))
    expect((await running).content).toMatchObject([{ text: 'done' }])
    expect(await textOf(client, 'one__pid')).toBe(before[0])
    expect(await textOf(client, 'two__pid')).not.toBe(before[1])
    await eventually(() => expect(isRunning(Number(before[1]))).toBe(false))
  }, 60_000)
})

describe('the settings of a running gateway', () => {
  const allow = { default: 'allow' }
  const start = async (gateway: object, slowMs = 300) => {
    const workspace = await createWorkspace({})
    const server = {
      command: process.execPath,
      args: [STUBBORN],
      env: { PIDS: join(workspace.dir, 'pids'), SLOW_MS: String(slowMs) },
    }
    const configure = (section: object): Promise<void> => workspace.write({ mcpServers: { box: server }, gateway: section })
    await configure(gateway)
    const process_ = await startGateway(workspace)
    /** Writes settings, and waits until the gateway says what it did. */
    const change = async (section: object, expected: string): Promise<void> => {
      const before = process_.log().length
      await configure(section)
      await eventually(() => expect(process_.log().slice(before)).toContain(expected))
    }
    const toolsOf = async (path = ''): Promise<string[]> => {
      const client = await connectTo(process_.url + path)
      return (await client.tools().toArray()).map(({ name }) => name)
    }
    return { ...process_, workspace, change, toolsOf, client: await connectTo(process_.url) }
  }

  test('change without a restart, and calls in flight keep the rules that they began with', async () => {
    const { client, url, change, toolsOf, workspace } = await start({ policy: allow }, 10_000)
    const pid = await textOf(client, 'box__pid')
    const slow = client.callTool('box__slow')
    await textOf(client, 'box__pid')
    await change({ policy: { default: 'allow', rules: [{ tools: 'box__slow', do: 'deny' }] } }, 'reloaded: applied policy')
    await expect(client.callTool('box__slow')).rejects.toThrow('Unknown tool')
    expect((await slow).content).toMatchObject([{ text: 'done' }])
    expect(await toolsOf()).toEqual(['box__pid'])

    await change(
      { policy: allow, limits: [{ tools: 'box__pid', rate: { limit: 1, intervalMs: 3_600_000 } }] },
      'applied limits, policy',
    )
    expect(await textOf(client, 'box__pid')).toBe(pid)
    expect(await textOf(client, 'box__pid')).toContain('Rate limit exceeded')
    // What was counted is kept when another setting changes.
    const limits = [{ tools: 'box__pid', rate: { limit: 1, intervalMs: 3_600_000 } }]
    await change({ limits, sets: { quick: { tools: 'box__pid' } } }, 'applied policy, sets')
    expect(await textOf(client, 'box__pid')).toContain('Rate limit exceeded')
    expect(await toolsOf('/quick')).toEqual(['box__pid'])
    expect(await toolsOf()).toEqual(['box__pid', 'box__slow'])
    await expect(connect(`${url}/other`)).rejects.toThrow()

    await change({ search: true }, 'applied limits, search, sets')
    expect(await toolsOf()).toEqual(['search_tools', 'describe_tool', 'call_tool'])
    await change({ pins: { mode: 'block', firstUse: 'withhold' } }, 'applied pins, search')
    expect(await toolsOf()).toEqual([])
    await change({ pins: 'off', audit: 'audit.jsonl' }, 'applied audit, pins')
    expect(await textOf(client, 'box__pid')).toBe(pid)
    expect(await portcall(['audit', 'verify', join(workspace.dir, 'audit.jsonl')])).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 record'),
    })
  }, 120_000)

  test('of accounts change, and what needs a restart says so each time', async () => {
    const account = { servers: { box: { auth: { type: 'user' } } } }
    const workspace = await createWorkspace({ mcpServers: { box: DEAD }, gateway: account })
    const { url, log } = await startGateway(workspace)
    const toolsOf = async (): Promise<string[]> => (await (await connectTo(url)).tools().toArray()).map(({ name }) => name)
    expect(await toolsOf()).toEqual(['connect_account'])
    await workspace.write({ mcpServers: { box: DEAD }, gateway: { ...account, accounts: { tool: 'link' }, listen: { port: 1 } } })
    const hint = 'applied accounts. Restart the gateway to apply the changes of listen'
    await eventually(() => expect(log()).toContain(hint))
    expect(await toolsOf()).toEqual(['link'])
    await workspace.write({ mcpServers: { box: DEAD }, gateway: { ...account, listen: { port: 1 } } })
    await eventually(() => expect(log().split(hint)).toHaveLength(3))
    expect(await toolsOf()).toEqual(['connect_account'])
  }, 60_000)

  test('stay as they are if the new ones are invalid', async () => {
    const { client, log, workspace, change } = await start({
      policy: { default: 'allow', rules: [{ tools: 'box__slow', do: 'deny' }] },
    })
    await workspace.write('{\n"mcpServers": {},\n"gateway": { "policy": { "default": "maybe" },\n  "limits": [{ "rat": {} }] } }')
    await eventually(() => expect(log()).toContain('The configuration was not reloaded'))
    expect(log()).toMatch(/line 3, column 26: gateway\.policy\.default/)
    expect(log()).toContain('line 4, column 16: gateway.limits[0].rat is not a known key; did you mean rate?')
    await expect(client.callTool('box__slow')).rejects.toThrow('Unknown tool')
    expect(await textOf(client, 'box__pid')).toMatch(/^\d+$/)
    await change({}, 'reloaded: applied policy')
    expect((await client.callTool('box__slow')).content).toMatchObject([{ text: 'done' }])
  }, 60_000)
})

async function runFileOf({ dir }: Workspace): Promise<string> {
  const { readdir } = await import('node:fs/promises')
  const home = join(dir, 'home', 'gateways')
  const [name = ''] = await readdir(home)
  return join(home, name)
}

describe('operating', () => {
  test('the token is in a file that only its user can read; actions concern one server', async () => {
    const workspace = await createWorkspace({ mcpServers: { demo: DEMO_SERVER } })
    const { url } = await startGateway(workspace)
    expect((await stat(await runFileOf(workspace))).mode & 0o777).toBe(0o600)
    const client = await connectTo(url)
    expect(await textOf(client, 'demo__greet', { name: 'Ada' })).toBe('Hello, Ada!')
    expect((await gateway(workspace, 'disable', 'demo')).code).toBe(0)
    await expect(client.callTool('demo__greet', { name: 'Ada' })).rejects.toThrow()
    expect(await gateway(workspace, 'restart', 'demo')).toMatchObject({
      code: 3,
      err: expect.stringContaining('demo is disabled'),
    })
    expect((await gateway(workspace, 'enable', 'demo')).code).toBe(0)
    expect((await gateway(workspace, 'restart', 'demo')).code).toBe(0)
    expect(await textOf(client, 'demo__greet', { name: 'Ada' })).toBe('Hello, Ada!')
    expect(await gateway(workspace, 'enable', 'dmo')).toMatchObject({
      code: 3,
      err: expect.stringContaining('did you mean demo?'),
    })
  })

  test.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s, no process is left',
    async (signal) => {
      const workspace = await createWorkspace({ mcpServers: {} })
      const pids = join(workspace.dir, 'pids')
      await workspace.write({ mcpServers: { stubborn: { command: process.execPath, args: [STUBBORN], env: { PIDS: pids } } } })
      const { url, child, end } = await startGateway(workspace)
      await textOf(await connectTo(url), 'stubborn__pid')
      const started = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
      expect(started.filter(isRunning)).toEqual(started)
      child.kill(signal)
      await end
      await eventually(() => expect(started.filter(isRunning)).toEqual([]))
    },
    30_000,
  )

  test('a program that exits at start is reported with the end of its stderr', async () => {
    const broken = { command: '/bin/sh', args: ['-c', 'echo "cannot find the database" >&2; exit 3'] }
    const workspace = await createWorkspace({ mcpServers: { broken, demo: DEMO_SERVER } })
    const { url, log } = await startGateway(workspace)
    const client = await connectTo(url)
    const names: string[] = []
    for await (const { name } of client.tools()) names.push(name)
    expect(names).toContain('demo__greet')
    await eventually(() => expect(log()).toMatch(/broken: not available: .*exited with code 3.*cannot find the database/))
    expect((await gateway(workspace, 'status')).out).toMatch(/broken +failing .*exited with code 3/)
  })
})

describe('portcall bridge', () => {
  test('a URL over stdio, for every revision', async () => {
    const url = await serveModule()
    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
      const client = await connect({ command: process.execPath, args: [COMMAND, 'bridge', url] }, { protocolVersion })
      expect(await textOf(client, 'greet', { name: 'Ada' })).toBe('Hello, Ada!')
      await client.close()
    }
  }, 60_000)

  test('a program over HTTP; pinned revisions', async () => {
    const { start, untilExit, untilOutput } = await import('./support/portcall.ts')
    const child = start([
      'bridge',
      '--http',
      '0',
      '--protocol-version',
      '2025-06-18',
      '--client-era',
      'modern',
      '--',
      process.execPath,
      STDIO,
    ])
    const end = untilExit(child)
    const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
    expect(await textOf(await connectTo(url), 'greet', { name: 'Ada' })).toBe('Hello, Ada!')
    await expect(connect(url, { protocolVersion: '2025-11-25' })).rejects.toThrow()
    child.kill('SIGTERM')
    expect((await end).code).toBe(0)
  })

  test('a module over stdio', async () => {
    const client = await connect({ command: process.execPath, args: [COMMAND, 'bridge', DEMO] })
    onTestFinished(client.close)
    expect(await textOf(client, 'greet', { name: 'Ada' })).toBe('Hello, Ada!')
  })

  test.each([
    { args: ['--http', '99999'], says: '--http must be a port number, not 99999' },
    { args: ['--protocol-version', '2020-01-01'], says: '--protocol-version must be one of 2024-11-05, 2025-03-26' },
  ])('names the option that is wrong: $args', async ({ args, says }) => {
    const outcome = await portcall(['bridge', ...args, '--', process.execPath, STDIO])
    expect(outcome).toMatchObject({ code: 2, out: '', err: expect.stringContaining(says) })
  })

  test('over HTTP, says on stderr at the start if the server is not available', async () => {
    const { start, untilExit, untilOutput } = await import('./support/portcall.ts')
    const child = start(['bridge', '--http', '0', DEAD.url])
    const end = untilExit(child)
    const isReported = untilOutput(child.stderr, /127\.0\.0\.1:9: not available: Could not connect to .*Is the server running/)
    const [[, url = '']] = await Promise.all([untilOutput(child.stdout, /Listening at (\S+)/), isReported])
    await expect(connectTo(url).then((client) => client.discover())).rejects.toThrow('not available')
    child.kill('SIGTERM')
    expect((await end).code).toBe(0)
  })

  test('names --http when its port is taken', async () => {
    const { port } = new URL(await serveModule())
    const outcome = await portcall(['bridge', '--http', port, '--', process.execPath, STDIO])
    expect(outcome.err).toBe(
      `portcall: port ${port} is already in use (choose another one with --http, or 0 for any free port)\n`,
    )
  })

  test('one server of a configuration file', async () => {
    const { file } = await createWorkspace({ mcpServers: { demo: DEMO_SERVER, dead: DEAD } })
    const client = await connect({ command: process.execPath, args: [COMMAND, 'bridge', `${file}:demo`] })
    onTestFinished(client.close)
    expect(await textOf(client, 'greet', { name: 'Ada' })).toBe('Hello, Ada!')
  })
})

test('install --gateway writes one entry', async () => {
  const { file, env, dir } = await createWorkspace({ mcpServers: { demo: DEMO_SERVER } })
  expect((await portcall(['install', file, '--gateway', '--to', 'cursor'], { env })).code).toBe(0)
  const config = await readFile(join(dir, '.cursor', 'mcp.json'), 'utf8')
  expect(JSON.parse(config)).toEqual({
    mcpServers: { gateway: { command: process.execPath, args: [COMMAND, 'gateway', '--config', file, '--stdio'] } },
  })
  expect((await portcall(['list', `${join(dir, '.cursor', 'mcp.json')}:gateway`], { env })).out).toContain('demo__greet')
  expect(await portcall(['install', DEMO, '--gateway', '--to', 'nope'], { env })).toMatchObject({ code: 2 })
})
