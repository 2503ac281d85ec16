import type { GatewayConfig } from 'portcall/gateway'

/** How the configuration of a running gateway differs from the one in its files. */
export interface ConfigChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** The sections that a running gateway can change, and that changed. */
  readonly applied: readonly string[]
  /** The sections that changed, and that apply when the gateway is restarted. */
  readonly needsRestart: readonly string[]
}

/** The sections that a running gateway can change. */
const APPLICABLE: ReadonlySet<string> = new Set(['policy', 'pins', 'limits', 'audit', 'views', 'sets', 'search', 'accounts'])

/** Compares the configuration that a gateway runs with another. */
export function compareConfigs(running: GatewayConfig, next: GatewayConfig): ConfigChanges {
  const [before, after] = [serversOf(running), serversOf(next)]
  const [own, others] = [sectionsOf(running), sectionsOf(next)]
  const keys = Object.keys({ ...own, ...others })
    .filter((key) => !isSame(own[key], others[key]) && !(key === 'eventWebhook' && canChange(running, next)))
    .sort()
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    changed: Object.keys(after).filter((name) => Object.hasOwn(before, name) && !isSame(before[name], after[name])),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
    applied: keys.filter((key) => APPLICABLE.has(key)),
    needsRestart: keys.filter((key) => !APPLICABLE.has(key)),
  }
}

/** Returns the configuration that a running gateway gets from another: it keeps the sections that only a restart changes. */
export function applicablePart(running: GatewayConfig, next: GatewayConfig): GatewayConfig {
  const { servers } = next.options
  const { sets, search, accounts, serverAuth, eventWebhook } = next.settings
  const {
    sets: _sets,
    search: _search,
    accounts: _accounts,
    serverAuth: _serverAuth,
    eventWebhook: used,
    ...kept
  } = running.settings
  return {
    options: { ...running.options, servers },
    settings: {
      ...kept,
      ...(sets && { sets }),
      ...(search !== undefined && { search }),
      ...(accounts && { accounts }),
      ...(serverAuth && { serverAuth }),
      ...(eventWebhook && { eventWebhook: { ...eventWebhook, ...(used && { url: used.url }) } }),
    },
    policies: next.policies,
    warnings: next.warnings,
    unusable: next.unusable,
  }
}

/** Returns the servers whose connections use credentials that changed. */
export function serversWithOtherCredentials(running: GatewayConfig, next: GatewayConfig): string[] {
  const [before = {}, after = {}] = [running.settings.serverAuth, next.settings.serverAuth]
  const hasOtherAccounts = !isSame(running.settings.accounts, next.settings.accounts)
  return Object.keys({ ...before, ...after }).filter(
    (name) => !isSame(before[name], after[name]) || (hasOtherAccounts && after[name]?.type === 'user'),
  )
}

/** Returns all that is configured for each server. */
function serversOf({ options, settings }: GatewayConfig): { readonly [name: string]: unknown } {
  const { serverAuth = {}, eventWebhook } = settings
  return Object.fromEntries(
    Object.entries(options.servers).map(([name, server]) => [
      name,
      [server, serverAuth[name], eventWebhook?.servers.includes(name) ?? false],
    ]),
  )
}

/** Returns the sections that do not belong to servers. */
function sectionsOf({ options, settings, policies }: GatewayConfig): { readonly [key: string]: unknown } {
  const { servers: _servers, ...others } = options
  const { serverAuth: _auth, eventWebhook, ...rest } = settings
  return { ...others, ...rest, ...policies, ...(eventWebhook && { eventWebhook: eventWebhook.url }) }
}

/**
 * Reports whether the URL to which servers deliver events can change while the gateway runs: it is no longer used, or it is the first one. Without
 * authorization, only a gateway that starts with it accepts its host.
 */
function canChange({ settings: own }: GatewayConfig, { settings: next }: GatewayConfig): boolean {
  return !next.eventWebhook || (!own.eventWebhook && own.auth !== undefined)
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
