import type { ApprovalQueue, Gateway, GatewayConfig, GatewayOptions, GatewayStatus } from 'portcall/gateway'
import { AdminActionError, type AdminActions, gatewayMetrics } from 'portcall/gateway/admin'
import { didYouMean } from '../command-line/did-you-mean.ts'
import { VERSION } from '../version.ts'
import type { Activity, ServerActivity } from './activity.ts'
import { applicablePart, type ConfigChanges, compareConfigs, serversWithOtherCredentials } from './compare-configs.ts'
import type { ConfiguredGateway } from './configured-gateway.ts'
import { describeError } from './describe-error.ts'
import type { LoadedGateway } from './load.ts'
import type { VariableMask } from './variable-mask.ts'

type Servers = GatewayOptions['servers']

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
  reload(): Promise<ConfigChanges>
  /** Returns what to say about the configuration that is in use. */
  notes(): readonly string[]
}

/** Starts the programs of a gateway, unless its configuration says that they start on demand. */
export function startPrograms(gateway: Pick<Gateway, 'start'>, { settings }: Pick<GatewayConfig, 'settings'>): void {
  if (settings.start !== 'on-demand') gateway.start()
}

/** Returns what to say about a configuration: the servers that are left out, and the settings that are ignored. */
export function notesOf({ unusable, warnings }: Pick<GatewayConfig, 'unusable' | 'warnings'>): readonly string[] {
  return [...Object.values(unusable), ...warnings]
}

export interface ControllerOptions {
  readonly configured: ConfiguredGateway
  readonly loaded: LoadedGateway
  readonly load: () => Promise<LoadedGateway>
  readonly activity: Activity
  /** Where clients connect. */
  readonly endpoint: () => string
  /** Called with each configuration that is applied. */
  readonly onReloaded: (config: GatewayConfig) => void
}

/** Creates the controller of a gateway. Changes are made one after another. */
export function createController(options: ControllerOptions): Controller {
  const { configured, loaded, load, activity } = options
  const { gateway } = configured
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
  /** Offers the current servers. Those that are replaced finish their calls meanwhile, so nothing waits for them. */
  const apply = (restarted: readonly string[] = []): void => {
    const servers = serversOf(configured.serversOf(current.config))
    const others = Object.entries(servers).filter(([name]) => !restarted.includes(name))
    for (const each of restarted.length > 0 ? [Object.fromEntries(others), servers] : [servers])
      gateway.setServers(each).catch((error: unknown) => {
        configError = current.variables.hide(describeError(error))
      })
    startPrograms(gateway, current.config)
  }
  const oneByOne = <T>(task: () => Promise<T>): Promise<T> => {
    const result = changing.then(task)
    changing = result.catch(() => {})
    return result
  }
  const reload = async (): Promise<ConfigChanges> => {
    try {
      const next = await load()
      const running = current.config
      assertUsable(running, next.config)
      const changes = compareConfigs(running, next.config)
      const config = applicablePart(running, next.config)
      configured.serversOf(config)
      const otherCredentials = serversWithOtherCredentials(running, config)
      const applyRules =
        changes.applied.length > 0 || otherCredentials.length > 0 ? await configured.prepare({ ...next, config }) : undefined
      current = { ...next, config }
      for (const name of disabled.keys()) if (!Object.hasOwn(config.options.servers, name)) disabled.delete(name)
      configError = undefined
      reloads += 1
      // Both at once: no request gets the new servers with the old rules.
      applyRules?.()
      apply(otherCredentials)
      options.onReloaded(config)
      return changes
    } catch (error) {
      configError = current.variables.hide(describeError(error))
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
      apply()
    })

  const status = (): ProcessStatus => readStatus(options, { current, configError, reloads, startedAt })

  return {
    reload: () => oneByOne(reload),
    notes: () => notesOf(current.config),
    enable: (name) => setDisabled(name, false),
    disable: (name) => setDisabled(name, true),
    restart: (name) =>
      oneByOne(async () => {
        assertKnown(name)
        if (isDisabled(name)) throw new AdminActionError(`The server ${name} is disabled`)
        apply([name])
        activity.restarted(name)
      }),
    refresh(name) {
      if (name !== undefined) assertKnown(name)
      gateway.refresh(name)
    },
    ...policyActions(configured),
    status,
    metrics: () => gatewayMetrics(status()),
  }
}

/** @throws Error if a server that runs has an entry now that cannot be used: it is probably being edited. */
function assertUsable({ options: { servers } }: GatewayConfig, { unusable }: GatewayConfig): void {
  const broken = Object.entries(unusable).filter(([name]) => Object.hasOwn(servers, name))
  if (broken.length > 0) throw new Error(broken.map(([, message]) => message).join('\n'))
}

interface ControllerState {
  readonly current: LoadedGateway
  readonly configError: string | undefined
  readonly reloads: number
  readonly startedAt: string
}

function readStatus(
  { configured: { gateway }, activity, endpoint }: ControllerOptions,
  { current: { config, files, variables }, configError, reloads, startedAt }: ControllerState,
): ProcessStatus {
  const { servers, ...rest } = gateway.status()
  return {
    version: VERSION,
    pid: process.pid,
    startedAt,
    endpoint: endpoint(),
    files,
    ...(configError !== undefined && { configError }),
    reloads,
    memoryBytes: process.memoryUsage.rss(),
    ...rest,
    servers: Object.fromEntries(
      Object.entries(config.options.servers).map(([name, server]) => {
        const status = servers[name] ?? NOT_RUNNING
        const error = 'error' in status && status.error !== undefined ? { error: variables.hide(status.error) } : {}
        return [name, { ...status, ...error, ...activity.of(name), target: describeTarget(server, variables) }]
      }),
    ),
  }
}

type PolicyActions = Required<Pick<AdminActions, 'pins' | 'approvals' | 'approve' | 'deny'>>

/** The actions of the policies that the gateway has when they are called. */
function policyActions({ policies }: ConfiguredGateway): PolicyActions {
  const queue = (): ApprovalQueue => {
    const { approvals } = policies()
    if (!approvals) throw new AdminActionError('The rules of this gateway let no call wait for an approval')
    return approvals
  }
  const settle = async (action: 'approve' | 'deny', id: string): Promise<void> => {
    if (!(await queue()[action](id, 'admin'))) throw new AdminActionError(`No call with the id ${id} waits for an approval`)
  }
  return {
    pins() {
      const { pins } = policies()
      if (!pins) throw new AdminActionError('This gateway pins no definitions')
      return pins.changes()
    },
    approvals: async () => queue().list(),
    approve: (id) => settle('approve', id),
    deny: (id) => settle('deny', id),
  }
}

const NOT_RUNNING = { state: 'disabled', failures: 0, connections: 0, inFlight: 0, requests: 0, items: {} } as const

function isOptions(server: Servers[string] | undefined): server is Extract<Servers[string], { readonly target: unknown }> {
  return typeof server === 'object' && 'target' in server
}

/** Describes a target without what may be secret: arguments, the query of a URL, and values of variables. */
export function describeTarget(server: Servers[string] | undefined, { hide }: VariableMask): string {
  const target = isOptions(server) ? server.target : server
  if (target instanceof URL) return hide(target.origin + target.pathname)
  if (typeof target === 'object' && 'command' in target) return hide(target.command)
  return ''
}

function hintOf(name: string, names: readonly string[]): string {
  const hint = didYouMean(name, names)
  return hint === undefined ? '' : `; ${hint}`
}
