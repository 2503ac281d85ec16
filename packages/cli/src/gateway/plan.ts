import { readFile } from 'node:fs/promises'
import type { estimateTotalTokens as EstimateTotalTokens } from 'portcall/diagnostics'
import { type GatewayConfig, type GatewayOptions, pinOptionsOf } from 'portcall/gateway'
import type { Io } from '../io.ts'
import { describeTarget, notesOf } from './controller.ts'
import { formatTable } from './format-status.ts'
import type { LoadedGateway } from './load.ts'
import type { VariableMask } from './variable-mask.ts'

/** The plan of a gateway for one server. The tools are those in the lock file. */
interface PlannedServer {
  readonly name: string
  readonly prefix: string
  readonly sharing: string
  readonly required: boolean
  readonly target: string
  readonly tools?: readonly string[]
  /** An estimate of the tokens that the tools take in the context of a model. */
  readonly tokens?: number
}

/** Prints what a gateway would do, without starting anything. Tools and tokens are known from the lock file, if there is one. */
export async function printPlan(
  { config, files, directory, variables }: LoadedGateway,
  { endpoint, io }: { readonly endpoint: string; readonly io: Io },
): Promise<void> {
  const { servers, names = {} } = config.options
  const { auth, store, admin, eventWebhook } = config.settings
  const [pinned, { estimateTotalTokens }] = await Promise.all([
    readPinnedTools(config, directory),
    import('portcall/diagnostics'),
  ])
  const plan = {
    files,
    endpoint,
    authorization: auth ? auth.resource : 'none',
    store: store === undefined ? 'memory' : store.slice(0, store.indexOf(':')),
    admin: admin === false ? 'off' : (admin.port ?? 'any free port'),
    names: names.mode ?? 'always',
    ...(eventWebhook && { 'event webhook': eventWebhook.url }),
    ...describePolicies(config.policies),
    warnings: notesOf(config),
    servers: Object.entries(servers).map(([name, server]) =>
      planServer(name, server, { pinned: pinned[name], estimate: estimateTotalTokens, variables }),
    ),
  }
  if (io.json) return io.value(plan)
  const { servers: rows, warnings, files: _files, ...rest } = plan
  io.line(`Configuration: ${files.join(', ')}`)
  for (const [key, value] of Object.entries(rest)) io.line(`${key.charAt(0).toUpperCase()}${key.slice(1)}: ${value}`)
  io.line('')
  for (const line of formatTable([HEAD, ...rows.map(rowOf)])) io.line(line)
  if (rows.some(({ tools }) => !tools)) io.log('portcall gateway check connects to the servers, and shows their tools and tokens')
  for (const warning of warnings) io.log(warning)
}

const HEAD = ['SERVER', 'PREFIX', 'SHARING', 'REQUIRED', 'TOOLS', 'TOKENS', 'TARGET']

function rowOf({ name, prefix, sharing, required, tools, tokens, target }: PlannedServer): string[] {
  return [name, prefix, sharing, required ? 'yes' : 'no', String(tools?.length ?? '-'), String(tokens ?? '-'), target]
}

function describePolicies({ policy, pins = 'off', limits, audit, views }: GatewayConfig['policies']): {
  readonly [key: string]: string
} {
  const rules = policy?.rules ?? []
  const actions = rules.map((rule) => rule.do)
  const counts = (['deny', 'approve', 'allow'] as const).flatMap((action) => {
    const count = actions.filter((each) => each === action).length
    return count > 0 ? [`${count} ${action}`] : []
  })
  return {
    policy: policy ? [`default ${policy.default}`, ...counts].join(', ') : 'none',
    pins: typeof pins === 'string' ? pins : (pins.mode ?? 'block'),
    limits: limits ? String(limits.length) : 'none',
    ...(views && { views: 'narrowed' }),
    audit: audit === undefined ? 'off' : typeof audit === 'string' ? audit : audit.file,
  }
}

type PinnedTools = { readonly [tool: string]: { readonly [member: string]: unknown } }

interface PlanContext {
  readonly pinned: PinnedTools | undefined
  readonly estimate: typeof EstimateTotalTokens
  readonly variables: VariableMask
}

function planServer(name: string, server: GatewayOptions['servers'][string], context: PlanContext): PlannedServer {
  const { pinned, estimate, variables } = context
  const options = typeof server === 'object' && 'target' in server ? server : { target: server }
  const tools = pinned && Object.entries(pinned).map(([tool, definition]) => ({ ...definition, name: tool }))
  return {
    name,
    prefix: options.alias ?? name,
    sharing: options.sharing ?? 'shared',
    required: options.required ?? false,
    ...(tools && { tools: tools.map((tool) => tool.name), tokens: estimate(tools) }),
    target: describeTarget(server, variables),
  }
}

/** Reads the tools of each server from the lock file. */
async function readPinnedTools(
  { policies, settings }: GatewayConfig,
  directory: string,
): Promise<{ readonly [server: string]: PinnedTools | undefined }> {
  const { pins } = policies
  if (typeof pins === 'object' && pins.lock === 'store' && settings.store !== undefined) return {}
  const { lock } = pinOptionsOf(pins, { directory }) ?? {}
  const text = typeof lock === 'string' ? await readFile(lock, 'utf8').catch(() => undefined) : undefined
  if (text === undefined) return {}
  const { servers = {} } = JSON.parse(text) as { servers?: { [server: string]: { tools?: PinnedTools } } }
  return Object.fromEntries(Object.entries(servers).map(([server, { tools }]) => [server, tools]))
}
