import { connect, type Tool } from 'portcall/client'
import type { ToolTokens } from 'portcall/diagnostics'
import { type CredentialsProvider, createGateway, type GatewayOptions, type GatewayServerAuth } from 'portcall/gateway'
import { situationOf } from '../../../util/src/advice.ts'
import { errorMessage } from '../../../util/src/errors.ts'
import { sanitizeLine } from '../../../util/src/printable.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import { describeTarget } from './controller.ts'
import { formatNote, formatTable } from './format-status.ts'
import { exceededHostLimits } from './host-limits.ts'
import type { LoadedGateway } from './load.ts'
import { createSharedCredentials } from './server-credentials.ts'
import { readServerLists, type ServerLists, unusedNames } from './unused-names.ts'
import type { VariableMask } from './variable-mask.ts'

/** The result of the check of one server. */
interface ServerReport {
  readonly name: string
  readonly target: string
  readonly tools?: readonly string[]
  /** An estimate of the tokens that the tools take in the context of a model. */
  readonly tokens?: number
  /** The estimate for each tool. */
  readonly tokensByTool?: readonly ToolTokens[]
  readonly durationMs: number
  /** The requirements of the gateway on its callers before it can use the server. */
  readonly requires?: string
  readonly error?: string
  /** The kind of the error. */
  readonly situation?: string
}

/**
 * Connects to all servers of a configuration and lists their tools. Returns whether all servers responded, and have the tools and prompts that the
 * configuration names.
 */
export async function checkServers({ config, files, directory, variables }: LoadedGateway, io: Io): Promise<boolean> {
  const { servers, names: nameOptions } = config.options
  const { serverAuth, eventWebhook } = config.settings
  const credentials = createSharedCredentials(config, directory)
  const checked = await Promise.all(
    Object.entries(servers).map(([name, server]) =>
      checkServer(name, {
        ...{ server, names: nameOptions, credentials, variables },
        authType: serverAuth?.[name]?.type,
        hasWebhook: eventWebhook?.servers.includes(name) ?? false,
      }),
    ),
  )
  const unusable = Object.entries(config.unusable).map(([name, error]) => ({ name, target: '', durationMs: 0, error }))
  const reports: readonly ServerReport[] = [...checked.map(({ report }) => report), ...unusable]
  const lists = new Map(checked.flatMap(({ report, lists }) => (lists ? [[report.name, lists] as const] : [])))
  const unknown = unusedNames(config, lists).map(({ message }) => message)
  const isOk = reports.every(({ error }) => error === undefined) && unknown.length === 0
  const limits = await exceededHostLimits(
    checked.flatMap(({ tools }) => tools),
    config.settings,
  )
  const withoutWebhooks = checked
    .filter(({ hasWebhookEvents }) => !hasWebhookEvents)
    .map(
      ({ report: { name } }) => `${name} delivers no events to webhooks only: gateway.servers.${name}.eventWebhook has no effect`,
    )
  const warnings = [...config.warnings, ...withoutWebhooks, ...limits]
  if (io.json) io.value({ ok: isOk, files, warnings, unknownNames: unknown, servers: reports })
  else {
    printReports(reports, io)
    for (const message of [...unknown, ...warnings]) io.log(message)
  }
  return isOk
}

interface ServerToCheck {
  readonly server: GatewayOptions['servers'][string]
  readonly names: GatewayOptions['names']
  readonly credentials: CredentialsProvider
  readonly authType: GatewayServerAuth['type'] | undefined
  readonly variables: VariableMask
  /** The gateway receives what the server delivers to webhooks. */
  readonly hasWebhook: boolean
}

/** The requirements of a gateway before it can use a server, by the type of its `auth`. */
const REQUIREMENTS: { readonly [type in GatewayServerAuth['type']]?: string } = {
  user: 'users sign in when they call it',
  'token-exchange': 'needs the token of a caller',
}

const REFUSALS: ReadonlySet<string> = new Set(['token-missing', 'token-refused'])

/** A report, and the tools that it is about. */
interface CheckedServer {
  readonly report: ServerReport
  readonly tools: readonly Tool[]
  /** Absent if the server did not respond. */
  readonly lists?: ServerLists
  /** The server may have event types that it delivers to webhooks, and not by push. */
  readonly hasWebhookEvents: boolean
}

/** Lists the tools of one server as the gateway would offer them. */
async function checkServer(name: string, checked: ServerToCheck): Promise<CheckedServer> {
  const { server, names, credentials, authType, variables, hasWebhook } = checked
  const startedAt = performance.now()
  const options = typeof server === 'object' && 'target' in server ? server : { target: server }
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
  const listTimeoutMs = connectTimeoutMs + LIST_TIMEOUT_MS
  // All requests are those of one caller, who gets all that the server offers.
  const alone = { sharing: 'shared', capabilities: 'all', required: true } as const
  const listed = { ...options, ...alone, connectTimeoutMs, listTimeoutMs }
  const gateway = createGateway({
    servers: { [name]: listed },
    info: { name: 'portcall-gateway', version: VERSION },
    credentials,
    ...(names && { names }),
  })
  const report = (
    more: Pick<ServerReport, 'tools' | 'tokens' | 'tokensByTool' | 'requires' | 'error' | 'situation'>,
  ): ServerReport => ({
    name,
    target: describeTarget(server, variables),
    ...more,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const { ALL_CAPABILITIES, estimateToolTokens, estimateTotalTokens } = await import('portcall/diagnostics')
    const client = await connect(gateway, { capabilities: ALL_CAPABILITIES })
    const tools = await client.tools().toArray()
    const tokens = estimateTotalTokens(tools)
    await client.prompts().toArray()
    const events = hasWebhook ? await gateway.serverItems(name, 'event') : undefined
    return {
      report: report({ tools: tools.map((tool) => tool.name), tokens, tokensByTool: estimateToolTokens(tools) }),
      tools,
      lists: await readServerLists(gateway, name),
      hasWebhookEvents: events === undefined || [...events.values()].some(({ definition }) => isWebhookOnly(definition)),
    }
  } catch (error) {
    const { error: reason, situation = situationOf(error) } = gateway.status().servers[name] ?? {}
    const text = sanitizeLine(variables.hide(reason ?? errorMessage(error)))
    const requires = authType && REFUSALS.has(situation) ? REQUIREMENTS[authType] : undefined
    return {
      report: report(requires === undefined ? { error: text, situation } : { requires }),
      tools: [],
      hasWebhookEvents: true,
    }
  } finally {
    await gateway.close()
  }
}

/** Reports whether the gateway can offer an event type only if it receives a webhook. */
function isWebhookOnly({ delivery }: { readonly delivery?: unknown }): boolean {
  return Array.isArray(delivery) && delivery.includes('webhook') && !delivery.includes('push')
}

const CONNECT_TIMEOUT_MS = 30_000
const LIST_TIMEOUT_MS = 10_000

function printReports(reports: readonly ServerReport[], io: Io): void {
  const rows = reports.map(({ name, target, tools, tokens, durationMs, requires, error, situation }) => [
    error === undefined ? 'ok' : 'FAILED',
    name,
    tools === undefined ? '-' : `${tools.length} tools`,
    tokens === undefined ? '-' : String(tokens),
    `${durationMs} ms`,
    error === undefined
      ? [target, ...(requires === undefined ? [] : [requires])].join(': ')
      : formatNote({ error, situation, target }),
  ])
  for (const line of formatTable([['', 'SERVER', 'TOOLS', 'TOKENS', 'TIME', 'NOTE'], ...rows])) io.line(line)
}
