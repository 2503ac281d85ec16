import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { closestName } from '../../../../util/src/closest-name.ts'
import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { checkConfigText } from '../../connect/config/check-text.ts'
import { READ_CONFIG_OPTIONS } from '../../connect/config/config.ts'
import { parseDocument } from '../../connect/config/document.ts'
import { type ConfigDocument, type ConfigPath, formatPosition } from '../../connect/config/document-types.ts'
import { ConfigError } from '../../connect/config/errors.ts'
import { findEntries, locate, readServers, SERVER_MEMBERS, warnAbout } from '../../connect/config/read-servers.ts'
import type { ToolFilter } from '../../connect/config/tool-filter.ts'
import type { ReadConfigOptions, ServerConfig } from '../../connect/config/types.ts'
import { createVariableSource, expandVariables, FieldError, type VariableSource } from '../../connect/config/variables.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { GatewayServerOptions, ItemRules } from '../api/options.ts'
import { PER_CALLER } from './access-settings.ts'
import { eventWebhookUrl } from './check-event-webhook.ts'
import { checkSection, type LocatedIssue, locateIssue, nameOf } from './check-section.ts'
import { GATEWAY_SECTION_SCHEMA, SERVER_SCHEMA } from './schema.ts'
import { readTypedValues } from './typed-values.ts'
import type { ConfigIssue, GatewayConfig, GatewaySection, GatewaySettings, UsableServer } from './types.ts'

/** Options of `readGatewayConfig`. */
export type ReadGatewayConfigOptions = ReadConfigOptions & {
  /** More servers, such as those of a host. Those of the text take precedence. Invalid ones are left out with a warning. */
  readonly servers?: readonly ServerConfig[]
}

const OPTIONS: OptionNames<ReadGatewayConfigOptions> = { ...READ_CONFIG_OPTIONS, servers: 'array' }

/**
 * Reads the configuration of a gateway: the configuration of an MCP host, which may have a section `gateway`. The package contains the JSON
 * Schema of the section as `portcall/gateway.schema.json`.
 *
 * A server whose entry cannot be used is left out, unless it is `required`: `unusable` says why.
 *
 * @throws ConfigError that lists everything that is wrong, with lines and columns; TypeError for a path, and for options that do not exist.
 */
export async function readGatewayConfig(text: string, options: ReadGatewayConfigOptions = {}): Promise<GatewayConfig> {
  checkOptions('readGatewayConfig()', options, { names: OPTIONS })
  checkConfigText(text, 'readGatewayConfig')
  const document = await parseDocument(text, options.format)
  const { root } = document
  if (!isObject(root)) throw new ConfigError('The configuration must be an object')
  const written = await readOwnServers(document, options)
  const servers = mergeServers(written.servers, options.servers ?? [])
  const source = await createVariableSource(root, options)
  const names = servers.map(({ name }) => name)
  const { section, issues } = await readSection(document, { source, names })
  throwIssues([...misspelledSection(document), ...serverIssues(written.servers, section), ...issues])
  return toGatewayConfig(section, servers, [...(await settingsOutsideSection(document, names)), ...written.warnings])
}

interface OwnServers {
  readonly servers: readonly ServerConfig[]
  readonly warnings: readonly string[]
}

/** Reads the servers of the text, which may have none if there are others. */
async function readOwnServers(document: ConfigDocument, options: ReadGatewayConfigOptions): Promise<OwnServers> {
  const { root } = document
  const hasServers = isObject(root) && SERVER_MEMBERS.some((member) => root[member] !== undefined)
  if (!hasServers && options.servers) return { servers: [], warnings: [] }
  throwIssues(hasServers ? [] : misspelledSection(document))
  const { servers, warnings } = await readServers(document, options)
  return { servers, warnings: [...warnings, ...misplacedSettings(document)] }
}

/** Warns about settings of the gateway next to its section. Hosts have keys of the same names, but of another form. */
async function settingsOutsideSection(document: ConfigDocument, names: readonly string[]): Promise<string[]> {
  const settings = Object.keys(GATEWAY_SECTION_SCHEMA.properties as object)
  const found = Object.entries(isObject(document.root) ? document.root : {}).filter(
    ([key]) => settings.includes(key) && !SERVER_MEMBERS.includes(key),
  )
  const checked = await Promise.all(
    found.map(async ([key, value]) => ({ key, issues: await checkSection({ [key]: value }, names) })),
  )
  return checked
    .filter(({ issues }) => issues.length === 0)
    .map(({ key }) => `${key} is ignored here; move it to ${nameOf(['gateway', key])}${locate(document.positionOf([key]))}`)
}

/** Warns about settings of the gateway in the entry of a server. Hosts have fields of the same names, but of another form. */
function misplacedSettings(document: ConfigDocument): string[] {
  const isSetting = ([key, value]: [string, unknown]): boolean => {
    const schema = key === 'disabled' ? undefined : settingOf(key)
    if (schema?.type !== 'object') return schema !== undefined
    return isObject(value) && (schema.required ?? []).every((name) => Object.hasOwn(value, name))
  }
  return (findEntries(document.root) ?? []).flatMap((located) =>
    Object.entries(isObject(located.entry) ? located.entry : {})
      .filter(isSetting)
      .map(([field]) => {
        const advice = `${field} is ignored here; move it to ${nameOf(['gateway', 'servers', located.name, field])}`
        return warnAbout(located, { field, advice }, document)
      }),
  )
}

function settingOf(key: string): { readonly type?: string; readonly required?: readonly string[] } | undefined {
  const settings = SERVER_SCHEMA.properties as { readonly [key: string]: object }
  return Object.hasOwn(settings, key) ? settings[key] : undefined
}

function mergeServers(own: readonly ServerConfig[], others: readonly ServerConfig[]): ServerConfig[] {
  const names = new Set(own.map(({ name }) => name))
  return [...own, ...others.filter(({ name }) => !names.has(name))]
}

/** Returns an issue if the section is probably misspelled. */
function misspelledSection(document: ConfigDocument): LocatedIssue[] {
  const root = isObject(document.root) ? document.root : {}
  const known = ['gateway', ...SERVER_MEMBERS]
  return Object.keys(root)
    .filter((key) => !known.includes(key) && ['gateway', 'mcpServers'].includes(closestName(key, known) ?? ''))
    .map((key) =>
      locateIssue({ path: [key], message: `${key} is not a known key; did you mean ${closestName(key, known)}?` }, document),
    )
}

/** Returns the issues of the servers without which the gateway must not start. */
function serverIssues(servers: readonly ServerConfig[], { servers: settings = {} }: GatewaySection): LocatedIssue[] {
  const isRequired = (name: string): boolean => Object.hasOwn(settings, name) && settings[name]?.required === true
  return servers.flatMap((server) =>
    'error' in server && isRequired(server.name) ? [{ position: server.error.position, message: server.error.reason }] : [],
  )
}

interface SectionContext {
  readonly source: VariableSource
  readonly names: readonly string[]
}

async function readSection(
  document: ConfigDocument,
  { source, names }: SectionContext,
): Promise<{ section: GatewaySection; issues: LocatedIssue[] }> {
  const root = isObject(document.root) ? document.root : {}
  const issues: ConfigIssue[] = []
  const written = root.gateway ?? {}
  const expanded = expandAll(written, ['gateway'], { source, issues })
  const section = readTypedValues(GATEWAY_SECTION_SCHEMA, { written, expanded })
  if (issues.length === 0) issues.push(...(await checkSection(section, names, written)))
  return { section: section as GatewaySection, issues: issues.map((issue) => locateIssue(issue, document)) }
}

/** Replaces the variables in all strings. */
function expandAll(value: unknown, path: ConfigPath, context: { source: VariableSource; issues: ConfigIssue[] }): unknown {
  if (Array.isArray(value)) return value.map((item, index) => expandAll(item, [...path, index], context))
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expandAll(member, [...path, key], context)]))
  if (typeof value !== 'string') return value
  try {
    return expandVariables(value, { field: nameOf(path), source: context.source })
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    context.issues.push({ path, message: error.message })
    return value
  }
}

/** @throws ConfigError that lists the issues in the order of the text. */
function throwIssues(issues: readonly LocatedIssue[]): void {
  const [first] = issues
  if (!first) return
  const line = ({ position }: LocatedIssue): number => position?.line ?? 0
  const lines = [...issues]
    .sort((one, other) => line(one) - line(other))
    .map(({ position, message }) => `${position ? `${formatPosition(position)}: ` : ''}${message}`)
  const count = lines.length === 1 ? 'an error' : `${lines.length} errors`
  throw new ConfigError(`The configuration has ${count}:\n${lines.map((text) => `  ${text}`).join('\n')}`, {
    position: first.position,
  })
}

function toGatewayConfig(section: GatewaySection, servers: readonly ServerConfig[], warnings: readonly string[]): GatewayConfig {
  const { listen = {}, auth, store, admin = {}, info, instructions, names, sealingKeys, pageSize, requestStateTtlMs } = section
  const { policy, pins, limits, audit, views, search, sets, accounts, channel, start, keepLists } = section
  const usable = servers.filter((server): server is UsableServer => !('disabled' in server) && !('error' in server))
  const unusable = servers.flatMap((server) => ('error' in server ? [[server.name, server.error.message] as const] : []))
  return {
    options: {
      servers: Object.fromEntries(usable.map((server) => [server.name, toServerOptions(server, section)])),
      ...withoutUndefined({ info, instructions, names, sealingKeys, pageSize, requestStateTtlMs }),
    },
    settings: {
      listen,
      admin,
      ...withoutUndefined({ auth, store, search, start, keepLists, sets, accounts, channel }),
      ...serverAuthOf(section, usable),
      ...eventWebhookOf(section, usable),
    },
    policies: withoutUndefined({ policy, pins, limits, audit, views }),
    warnings,
    unusable: Object.fromEntries(unusable),
  }
}

/** Returns the credentials of the servers that have some. */
function serverAuthOf({ servers = {} }: GatewaySection, usable: readonly UsableServer[]): Pick<GatewaySettings, 'serverAuth'> {
  const entries = usable.flatMap(({ name }) => {
    const auth = Object.hasOwn(servers, name) ? servers[name]?.auth : undefined
    return auth ? [[name, auth] as const] : []
  })
  return entries.length > 0 ? { serverAuth: Object.fromEntries(entries) } : {}
}

/** Returns the endpoint for the deliveries of the servers that have some. */
function eventWebhookOf(section: GatewaySection, usable: readonly UsableServer[]): Pick<GatewaySettings, 'eventWebhook'> {
  const { servers: settings = {} } = section
  const url = eventWebhookUrl(section)
  const servers = usable.flatMap(({ name }) => (Object.hasOwn(settings, name) && settings[name]?.eventWebhook ? [name] : []))
  return url !== undefined && servers.length > 0 ? { eventWebhook: { url, servers } } : {}
}

function toServerOptions({ name, target, headers, tools }: UsableServer, { servers = {} }: GatewaySection): GatewayServerOptions {
  const { auth, eventWebhook: _, ...settings } = (Object.hasOwn(servers, name) ? servers[name] : undefined) ?? {}
  const sharing = auth && PER_CALLER.has(auth.type) ? 'principal' : 'shared'
  const ownTarget = target instanceof URL ? target : { ...target, terminateWithParent: true }
  return {
    sharing,
    ...settings,
    ...(tools && { tools: restrictTools(settings.tools, tools) }),
    target: ownTarget,
    ...(headers && Object.keys(headers).length > 0 && { headers }),
  }
}

/** Excludes the tools that the entry of the host switches off, also if the section includes them. */
function restrictTools(rules: ItemRules = {}, { include, exclude = [] }: ToolFilter): ItemRules {
  const isIncluded = createNameMatcher(rules.include ?? ['*'])
  return {
    ...rules,
    ...(include && { include: include.filter(isIncluded) }),
    exclude: [...(rules.exclude ?? []), ...exclude],
  }
}
