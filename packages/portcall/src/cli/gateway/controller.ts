import type {
  ApprovalQueue,
  DefinitionPins,
  Gateway,
  GatewayConfig,
  GatewayOptions,
  GatewayStatus,
} from '../../entrypoints/gateway.ts'
import { AdminActionError, type AdminActions } from '../../entrypoints/gateway-admin.ts'
import { CliError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import { VERSION } from '../version.ts'
import type { Activity, ServerActivity } from './activity.ts'
import type { LoadedGateway } from './load.ts'

type Servers = GatewayOptions['servers']

/** What a reload changed. */
export interface ReloadOutcome {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** Sections that changed, and that apply when the gateway is restarted. */
  readonly needsRestart: readonly string[]
}

/** The status of a gateway process. It contains no secrets. */
export interface ProcessStatus {
  readonly version: string
  readonly pid: number
  readonly startedAt: string
  /** Where clients connect: a URL, or `stdio`. */
  readonly endpoint: string
  readonly files: readonly string[]
  /** Why the last change of the files was not applied. */
  readonly configError?: string
  readonly reloads: number
  readonly memoryBytes: number
  readonly servers: { readonly [name: string]: GatewayStatus['servers'][string] & ServerActivity & { readonly target: string } }
  readonly subscriptions: number
}

/** Controls a running gateway. */
export interface Controller extends AdminActions {
  status(): ProcessStatus
  reload(): Promise<ReloadOutcome>
}

export interface ControllerOptions {
  readonly gateway: Gateway
  readonly loaded: LoadedGateway
  readonly load: () => Promise<LoadedGateway>
  readonly activity: Activity
  /** The calls that wait for an approval, if any can. */
  readonly approvals: ApprovalQueue | undefined
  /** The pinned definitions, if there are any. */
  readonly pins: DefinitionPins | undefined
  /** Where clients connect. */
  readonly endpoint: () => string
}

/** Creates the controller of a gateway. Changes are made one after another. */
export function createController(options: ControllerOptions): Controller {
  const { gateway, loaded, load, activity, endpoint } = options
  let current = loaded
  let configError: string | undefined
  let reloads = 0
  let changing: Promise<unknown> = Promise.resolve()
  const startedAt = new Date().toISOString()
  const disabled = new Map<string, boolean>()

  const isDisabled = (name: string): boolean => {
    const server = current.config.options.servers[name]
    return disabled.get(name) ?? (isOptions(server) && server.disabled === true)
  }
  const serversOf = (servers: Servers): Servers =>
    Object.fromEntries(
      Object.entries(servers).map(([name, server]) => {
        const override = disabled.get(name)
        return [name, override === undefined || !isOptions(server) ? server : { ...server, disabled: override }]
      }),
    )
  const apply = (): Promise<void> => gateway.setServers(serversOf(current.config.options.servers))
  const oneByOne = <T>(task: () => Promise<T>): Promise<T> => {
    const result = changing.then(task)
    changing = result.catch(() => {})
    return result
  }
  const reload = async (): Promise<ReloadOutcome> => {
    try {
      const next = await load()
      const outcome = compare(current.config, next.config)
      const previous = current
      current = next
      for (const name of disabled.keys()) if (!(name in next.config.options.servers)) disabled.delete(name)
      // Servers that are replaced finish their calls meanwhile, so the reload does not wait for them.
      void startApplying(apply, () => (current = previous))
      configError = undefined
      reloads += 1
      activity.keep(Object.keys(next.config.options.servers))
      return outcome
    } catch (error) {
      configError = describeError(error)
      throw new AdminActionError(configError, { cause: error })
    }
  }
  const assertKnown = (name: string): void => {
    const names = Object.keys(current.config.options.servers)
    if (!names.includes(name)) throw new AdminActionError(`There is no server ${name}${hintOf(name, names)}`)
  }
  const setDisabled = (name: string, value: boolean): Promise<void> =>
    oneByOne(async () => {
      assertKnown(name)
      disabled.set(name, value)
      void apply()
    })

  return {
    reload: () => oneByOne(reload),
    enable: (name) => setDisabled(name, false),
    disable: (name) => setDisabled(name, true),
    restart: (name) =>
      oneByOne(async () => {
        assertKnown(name)
        if (isDisabled(name)) throw new AdminActionError(`The server ${name} is disabled`)
        const { [name]: _restarted, ...others } = serversOf(current.config.options.servers)
        void gateway.setServers(others)
        void apply()
        activity.restarted(name)
      }),
    refresh(name) {
      if (name !== undefined) assertKnown(name)
      gateway.refresh(name)
    },
    ...policyActions(options),
    status() {
      const { servers, ...rest } = gateway.status()
      const configured = current.config.options.servers
      return {
        version: VERSION,
        pid: process.pid,
        startedAt,
        endpoint: endpoint(),
        files: current.files,
        ...(configError !== undefined && { configError }),
        reloads,
        memoryBytes: process.memoryUsage.rss(),
        ...rest,
        servers: Object.fromEntries(
          Object.keys(configured).map((name) => {
            const status = servers[name] ?? NOT_RUNNING
            return [name, { ...status, ...activity.of(name), target: describeTarget(configured[name]) }]
          }),
        ),
      }
    },
  }
}

type PolicyActions = Pick<AdminActions, 'pins' | 'approvals' | 'approve' | 'deny'>

/** The actions of the policies that the gateway has. */
function policyActions({ approvals: queue, pins }: ControllerOptions): PolicyActions {
  const settle =
    (decide: (id: string, by: string) => Promise<boolean>) =>
    async (id: string): Promise<void> => {
      if (!(await decide(id, 'admin'))) throw new AdminActionError(`No call with the id ${id} waits for an approval`)
    }
  return {
    ...(pins && { pins: () => pins.changes() }),
    ...(queue && {
      approvals: () => queue.list(),
      approve: settle((id, by) => queue.approve(id, by)),
      deny: settle((id, by) => queue.deny(id, by)),
    }),
  }
}

const NOT_RUNNING = { state: 'disabled', failures: 0, connections: 0, inFlight: 0, requests: 0, items: {} } as const

/** Undoes a change if the gateway refuses it. */
async function startApplying(apply: () => Promise<void>, undo: () => void): Promise<void> {
  await apply().catch((error: unknown) => {
    if (error instanceof TypeError) undo()
  })
}

function isOptions(server: Servers[string] | undefined): server is Extract<Servers[string], { readonly target: unknown }> {
  return typeof server === 'object' && 'target' in server
}

/** Describes a target without what may be secret: arguments, and the query of a URL. */
export function describeTarget(server: Servers[string] | undefined): string {
  const target = isOptions(server) ? server.target : server
  if (target instanceof URL) return target.origin + target.pathname
  if (typeof target === 'object' && 'command' in target) return target.command
  return ''
}

/** Sections that a running gateway cannot change. */
function compare(before: GatewayConfig, after: GatewayConfig): ReloadOutcome {
  const [old, fresh] = [before.options.servers, after.options.servers]
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
  const { servers: _old, ...oldOptions } = before.options
  const { servers: _new, ...newOptions } = after.options
  const fixed = [
    { ...oldOptions, ...before.settings, ...before.policies },
    { ...newOptions, ...after.settings, ...after.policies },
  ] as const
  const keys = new Set(fixed.flatMap((one) => Object.keys(one)))
  return {
    added: Object.keys(fresh).filter((name) => !(name in old)),
    changed: Object.keys(fresh).filter((name) => name in old && !isSame(old[name], fresh[name])),
    removed: Object.keys(old).filter((name) => !(name in fresh)),
    needsRestart: [...keys].filter((key) => !isSame(fixed[0][key as never], fixed[1][key as never])),
  }
}

/** Returns what an error says, with all its lines. */
export function describeError(error: unknown): string {
  if (error instanceof CliError) return [error.message, ...error.details].join('\n')
  return error instanceof Error ? error.message : String(error)
}

function hintOf(name: string, names: readonly string[]): string {
  const hint = didYouMean(name, names)
  return hint === undefined ? '' : `; ${hint}`
}
