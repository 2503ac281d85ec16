import { usageError } from '../cli-error.ts'
import { type Command, defineCommand, type ValuesOf } from '../command.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import { STDIO_FLAG } from '../command-line/listen-flags.ts'
import type { ExitReason } from '../exit-codes.ts'
import { GATEWAY_LISTEN_FLAGS } from '../gateway/listen.ts'
import type { Io } from '../io.ts'
import { isConfigFile } from '../target/is-config-file.ts'

const FLAGS = {
  config: {
    type: 'string',
    short: 'c',
    value: 'FILE',
    description: 'The configuration (default: gateway.jsonc, gateway.json, gateway.toml, gateway.yaml or .mcp.json)',
  },
  from: {
    type: 'string',
    multiple: true,
    value: 'HOST',
    description: 'Add the servers of an MCP host, such as cursor; repeatable',
  },
  set: { type: 'string', value: 'NAME', description: 'Offer only this set of tools of the configuration' },
  stdio: STDIO_FLAG,
  ...GATEWAY_LISTEN_FLAGS,
  search: { type: 'boolean', description: 'List three tools that search, describe and call, instead of all tools' },
  'no-watch': { type: 'boolean', description: 'Do not reload the configuration when its files change' },
  admin: { type: 'string', value: 'PORT', description: 'Port of the admin endpoint (default: any free port)' },
  accept: {
    type: 'boolean',
    description: 'Show what differs from the pinned definitions, and accept it: of all servers, or of the named one',
  },
  yes: { type: 'boolean', short: 'y', description: 'With --accept, do not ask' },
  'dry-run': { type: 'boolean', description: 'Show what the gateway would do, without starting anything' },
  verbose: { type: 'boolean', short: 'v', description: 'Show warnings and the stderr of the servers' },
} as const

type GatewayFlags = ValuesOf<typeof FLAGS>

/** The context of the action of a command line. */
interface ActionContext {
  readonly flags: GatewayFlags
  readonly io: Io
  /** The words after the action. */
  readonly words: readonly string[]
}

type Action = (context: ActionContext) => Promise<ExitReason | void>

const serverAction =
  (action: string, done: string): Action =>
  async ({ flags, io, words: [name] }) => {
    if (name === undefined) throw usageError(`gateway ${action} needs the name of a server`)
    const { findGateway, sendToGateway } = await import('../gateway/admin-client.ts')
    await sendToGateway(findGateway(flags.admin), 'POST', `/servers/${encodeURIComponent(name)}/${action}`)
    if (io.json) io.value({ ok: true })
    else io.log(`${done} ${name}`)
  }

const ACTIONS: { readonly [name: string]: Action } = {
  async status({ flags, io }) {
    const { findGateways, sendToGateway } = await import('../gateway/admin-client.ts')
    const { formatStatus } = await import('../gateway/format-status.ts')
    const all = await Promise.all(findGateways(flags.admin).map((run) => sendToGateway(run, 'GET', '/status')))
    if (io.json) for (const status of all) io.value(status)
    else io.data(all.map((status) => formatStatus(status as Parameters<typeof formatStatus>[0])).join('\n\n'))
  },
  async reload({ flags, io }) {
    const { findGateway, sendToGateway } = await import('../gateway/admin-client.ts')
    const { describeReload } = await import('../gateway/run.ts')
    const outcome = await sendToGateway(findGateway(flags.admin), 'POST', '/reload')
    if (io.json) io.value(outcome)
    else io.log(describeReload(outcome as Parameters<typeof describeReload>[0]))
  },
  async check({ flags, io }) {
    const { loadGateway } = await import('../gateway/load.ts')
    const { checkServers } = await import('../gateway/check-servers.ts')
    return (await checkServers(await loadGateway(flags), io)) ? 'success' : 'failed'
  },
  async pins({ flags, io, words: [server] }) {
    const { reviewPins } = await import('../gateway/pins.ts')
    const { loadGateway } = await import('../gateway/load.ts')
    return reviewPins(await loadGateway(flags), { server, accepts: flags.accept, yes: flags.yes }, io)
  },
  async approvals({ flags, io, words }) {
    const { manageApprovals } = await import('../gateway/approvals.ts')
    await manageApprovals(words, { admin: flags.admin, io })
  },
  async refresh({ flags, io, words: [name] }) {
    const { findGateway, sendToGateway } = await import('../gateway/admin-client.ts')
    const path = name === undefined ? '/refresh' : `/servers/${encodeURIComponent(name)}/refresh`
    await sendToGateway(findGateway(flags.admin), 'POST', path)
    if (io.json) io.value({ ok: true })
    else io.log('The lists are fetched again when they are needed')
  },
  restart: serverAction('restart', 'Restarted'),
  enable: serverAction('enable', 'Enabled'),
  disable: serverAction('disable', 'Disabled'),
}

/** `portcall gateway` */
export const gatewayCommand: Command = defineCommand({
  name: 'gateway',
  summary: 'Serve many servers as one',
  serverUse: 'none',
  args: ['[action]', '[names...]'],
  details: [
    'Without an action, starts a gateway for all servers of a configuration: the unmodified file of any MCP host, to which you can add a section gateway with settings. Servers start when they are first needed. When the file changes, the gateway reloads it: running calls continue, only changed servers restart, and a file with errors changes nothing.',
    'Actions for a configuration: check connects to all servers and counts their tools; pins shows what differs from the pinned definitions, and --accept accepts the differences.',
    'Actions for the running gateway: status shows its servers; reload reads the configuration again; refresh fetches the lists of the servers again; restart, enable and disable act on the named server; approvals lists the calls that wait for approval, and approvals approve ID and approvals deny ID decide about one. If several gateways are running, choose one with --admin PORT.',
  ],
  flags: FLAGS,
  examples: [
    'portcall gateway --config gateway.jsonc',
    'portcall gateway --from cursor --from vscode --port 8080',
    'portcall gateway check --config .mcp.json',
    'portcall gateway status',
    'portcall gateway restart github',
    'portcall gateway --accept github',
    'portcall gateway approvals approve 3f9a',
  ],
  async run({ args: [action, ...words], flags, io }) {
    if (flags.accept)
      return (ACTIONS.pins as Action)({ flags, io, words: action === undefined || action === 'pins' ? words : [action] })
    if (action !== undefined) {
      const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
      if (!run) throw usageError(`unknown action: ${action}`, hintFor(action))
      return run({ flags, io, words })
    }
    if (flags['dry-run']) return showPlan(flags, io)
    const { runGateway } = await import('../gateway/run.ts')
    return runGateway(flags, flags, io)
  },
})

const hintFor = (action: string): string | undefined =>
  isConfigFile(action) && !action.includes('://')
    ? `use portcall gateway --config ${action}`
    : didYouMean(action, Object.keys(ACTIONS))

async function showPlan(flags: GatewayFlags, io: Io): Promise<void> {
  const { loadGateway } = await import('../gateway/load.ts')
  const { printPlan } = await import('../gateway/plan.ts')
  const loaded = await loadGateway(flags)
  const { port = 3000, host = '127.0.0.1', path = '/mcp' } = { ...loaded.config.settings.listen, ...definedOf(flags) }
  await printPlan(loaded, { endpoint: flags.stdio ? 'stdio' : `http://${host}:${port}${path}`, io })
}

function definedOf({ port, host, path }: GatewayFlags): { port?: string; host?: string; path?: string } {
  return { ...(port !== undefined && { port }), ...(host !== undefined && { host }), ...(path !== undefined && { path }) }
}
