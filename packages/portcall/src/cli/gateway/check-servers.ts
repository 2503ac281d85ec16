import { connect } from '../../entrypoints/client.ts'
import { createGateway, type GatewayOptions } from '../../entrypoints/gateway.ts'
import { sanitizeLine } from '../format.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import { describeTarget } from './controller.ts'
import { createStoredCredentials } from './credentials.ts'
import { formatNote, formatTable } from './format-status.ts'
import type { LoadedGateway } from './load.ts'

/** What the check of one server found. */
interface ServerReport {
  readonly name: string
  readonly target: string
  readonly tools?: readonly string[]
  /** An estimate of the tokens that the tools take in the context of a model. */
  readonly tokens?: number
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
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
  const listed = { ...options, required: true, connectTimeoutMs, listTimeoutMs: connectTimeoutMs + LIST_TIMEOUT_MS }
  const gateway = createGateway({
    servers: { [name]: listed },
    info: { name: 'portcall-gateway', version: VERSION },
    credentials: createStoredCredentials(),
    ...(names && { names }),
  })
  const report = (more: Pick<ServerReport, 'tools' | 'tokens' | 'error'>): ServerReport => ({
    name,
    target: describeTarget(server),
    ...more,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const client = await connect(gateway)
    const tools = await client.tools().toArray()
    const { estimateTotalTokens } = await import('../../entrypoints/diagnostics.ts')
    return report({ tools: tools.map((tool) => tool.name), tokens: estimateTotalTokens(tools) })
  } catch (error) {
    const { error: reason } = gateway.status().servers[name] ?? {}
    return report({ error: sanitizeLine(reason ?? (error instanceof Error ? error.message : String(error))) })
  } finally {
    await gateway.close()
  }
}

const CONNECT_TIMEOUT_MS = 30_000
const LIST_TIMEOUT_MS = 10_000

function printReports(reports: readonly ServerReport[], io: Io): void {
  const rows = reports.map(({ name, target, tools, tokens, durationMs, error }) => [
    error === undefined ? 'ok' : 'FAILED',
    name,
    error === undefined ? `${tools?.length ?? 0} tools` : '-',
    tokens === undefined ? '-' : String(tokens),
    `${durationMs} ms`,
    error === undefined ? target : formatNote(error),
  ])
  for (const line of formatTable([['', 'SERVER', 'TOOLS', 'TOKENS', 'TIME', 'NOTE'], ...rows])) io.data(line)
}
