import { connect } from '../../entrypoints/client.ts'
import { createGateway, type GatewayOptions } from '../../entrypoints/gateway.ts'
import { sanitizeLine } from '../format.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import { signInHint } from './activity.ts'
import { describeTarget } from './controller.ts'
import { createStoredCredentials } from './credentials.ts'
import { formatTable } from './format-status.ts'
import type { LoadedGateway } from './load.ts'

/** What the check of one server found. */
interface ServerReport {
  readonly name: string
  readonly target: string
  readonly tools?: readonly string[]
  readonly durationMs: number
  readonly error?: string
}

/** Connects to all servers of a configuration and lists their tools. Returns whether all servers responded. */
export async function checkServers({ config, files }: LoadedGateway, io: Io): Promise<boolean> {
  const { servers, names } = config.options
  const reports = await Promise.all(Object.entries(servers).map(([name, server]) => checkServer(name, { server, names })))
  const isOk = reports.every(({ error }) => error === undefined)
  if (io.json) io.value({ ok: isOk, files, warnings: config.warnings, servers: reports })
  else printReports(reports, io)
  return isOk
}

interface ServerToCheck {
  readonly server: GatewayOptions['servers'][string]
  readonly names: GatewayOptions['names']
}

/** Lists the tools of one server as the gateway would offer them. */
async function checkServer(name: string, { server, names }: ServerToCheck): Promise<ServerReport> {
  const startedAt = performance.now()
  const options = typeof server === 'object' && 'target' in server ? server : { target: server }
  const listed = { ...options, required: true, listTimeoutMs: options.connectTimeoutMs ?? CHECK_TIMEOUT_MS }
  const gateway = createGateway({
    servers: { [name]: listed },
    info: { name: 'portcall-gateway', version: VERSION },
    credentials: createStoredCredentials(),
    ...(names && { names }),
  })
  const report = (more: Pick<ServerReport, 'tools' | 'error'>): ServerReport => ({
    name,
    target: describeTarget(server),
    ...more,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const client = await connect(gateway)
    const tools: string[] = []
    for await (const tool of client.tools()) tools.push(tool.name)
    return report({ tools })
  } catch (error) {
    const { error: reason } = gateway.status().servers[name] ?? {}
    return report({ error: sanitizeLine(reason ?? (error instanceof Error ? error.message : String(error))) })
  } finally {
    await gateway.close()
  }
}

const CHECK_TIMEOUT_MS = 30_000

function printReports(reports: readonly ServerReport[], io: Io): void {
  const rows = reports.map(({ name, target, tools, durationMs, error }) => [
    error === undefined ? 'ok' : 'FAILED',
    name,
    error === undefined ? `${tools?.length ?? 0} tools` : '-',
    `${durationMs} ms`,
    error === undefined ? target : error + signInHint(error),
  ])
  for (const line of formatTable([['', 'SERVER', 'TOOLS', 'TIME', 'NOTE'], ...rows])) io.data(line)
}

/** Prints what a gateway would do, without starting anything. */
export function printPlan(
  { config, files }: LoadedGateway,
  { endpoint, io }: { readonly endpoint: string; readonly io: Io },
): void {
  const { servers, names = {} } = config.options
  const { auth, store, admin } = config.settings
  const plan = {
    files,
    endpoint,
    authorization: auth ? auth.resource : 'none',
    store: store === undefined ? 'memory' : store.slice(0, store.indexOf(':')),
    admin: admin === false ? 'off' : (admin.port ?? 'any free port'),
    names: names.mode ?? 'always',
    warnings: config.warnings,
    servers: Object.entries(servers).map(([name, server]) => ({
      name,
      ...describeOptions(server),
      target: describeTarget(server),
    })),
  }
  if (io.json) return io.value(plan)
  const { servers: rows, warnings, files: _files, ...rest } = plan
  io.data(`Configuration: ${files.join(', ')}`)
  for (const [key, value] of Object.entries(rest)) io.data(`${key.charAt(0).toUpperCase()}${key.slice(1)}: ${value}`)
  io.data('')
  const lines = rows.map(({ name, alias, sharing, required, target }) => [
    name,
    alias ?? name,
    sharing,
    required ? 'yes' : 'no',
    target,
  ])
  for (const line of formatTable([
    ['SERVER', 'PREFIX', 'SHARING', 'REQUIRED', 'TARGET'],
    ...lines.map((cells) => cells.map(String)),
  ]))
    io.data(line)
  for (const warning of warnings) io.log(warning)
}

function describeOptions(server: GatewayOptions['servers'][string]): { alias?: string; sharing: string; required: boolean } {
  if (typeof server !== 'object' || !('target' in server)) return { sharing: 'shared', required: false }
  const { alias, sharing = 'shared', required = false } = server
  return { ...(alias !== undefined && { alias }), sharing, required }
}
