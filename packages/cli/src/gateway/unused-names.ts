import type { GatewayConfig, ItemRules } from 'portcall/gateway'
import { closestName } from '../../../util/src/closest-name.ts'
import { toStrings } from '../../../util/src/strings.ts'

/** The names of the items of one server, before the filters of its settings and after them. */
export interface ServerNames {
  /** The names of tools on the server. */
  readonly tools: readonly string[]
  /** The names of prompts on the server. */
  readonly prompts: readonly string[]
  /** The names of event types that the server delivers to webhooks, and not by push. */
  readonly webhookEvents: readonly string[]
  /** The names under which the gateway offers tools. */
  readonly exposedTools: readonly string[]
}

/** A name in a configuration, and the names that exist there. */
interface UsedName {
  readonly path: string
  readonly name: string
  /** `undefined` if a server that may have the name did not respond. */
  readonly known: readonly string[] | undefined
}

type Kind = 'tools' | 'prompts'
const KINDS: readonly Kind[] = ['tools', 'prompts']
/** Separates the server from the item in the patterns of rules. */
const SEPARATOR = '__'

/**
 * Returns a message for each name of a tool or prompt in filters, rules, limits and sets that no server has. Patterns with `*` may match
 * nothing. `names` has the servers that responded.
 */
export function unusedNames(config: GatewayConfig, names: ReadonlyMap<string, ServerNames>): string[] {
  return [...filterNames(config, names), ...ruleNames(config, names), ...setNames(config, names)].flatMap(
    ({ path, name, known }) => {
      if (name.includes('*') || !known || known.includes(name)) return []
      const closest = closestName(name, known)
      return `gateway.${path} names ${name}, which no server has${closest === undefined ? '' : `; did you mean ${closest}?`}`
    },
  )
}

function filterNames({ options }: GatewayConfig, names: ReadonlyMap<string, ServerNames>): UsedName[] {
  return Object.entries(options.servers).flatMap(([server, settings]) => {
    if (typeof settings !== 'object' || !('target' in settings)) return []
    const rules: { readonly [kind in Kind]?: ItemRules } = settings
    return KINDS.flatMap((kind) =>
      Object.entries(rules[kind] ?? {}).flatMap(([member, value]) =>
        (Array.isArray(value) ? value : Object.keys(value)).map((name: string) => ({
          path: `servers.${server}.${kind}.${member}`,
          name,
          known: names.get(server)?.[kind],
        })),
      ),
    )
  })
}

function ruleNames({ options, policies }: GatewayConfig, names: ReadonlyMap<string, ServerNames>): UsedName[] {
  const rules = [
    ...(policies.policy?.rules ?? []).map((rule, at) => ({ path: `policy.rules[${at}]`, rule })),
    ...(policies.limits ?? []).map((rule, at) => ({ path: `limits[${at}]`, rule })),
  ]
  const all = Object.keys(options.servers)
  return rules.flatMap(({ path, rule }) =>
    KINDS.flatMap((kind) =>
      toStrings(rule[kind] ?? []).map((name) => {
        const servers = rule.servers === undefined ? all : toStrings(rule.servers).filter((server) => !server.includes('*'))
        const isQualified = rule.servers === undefined
        const found = servers.map((server) =>
          names.get(server)?.[kind].flatMap((own) => (isQualified ? [`${server}${SEPARATOR}${own}`, own] : [own])),
        )
        const known = found.every((one) => one !== undefined) && found.length > 0 ? found.flat() : undefined
        return { path: `${path}.${kind}`, name, known }
      }),
    ),
  )
}

function setNames({ options, settings }: GatewayConfig, names: ReadonlyMap<string, ServerNames>): UsedName[] {
  const servers = Object.keys(options.servers).map((server) => names.get(server)?.exposedTools)
  const known = servers.every((tools) => tools !== undefined) ? servers.flat() : undefined
  const always = typeof settings.search === 'object' ? (settings.search.always ?? []) : []
  return [
    ...Object.entries(settings.sets ?? {}).flatMap(([set, { tools, exclude, changes = {} }]) => [
      ...toStrings(tools ?? []).map((name) => ({ path: `sets.${set}.tools`, name, known })),
      ...toStrings(exclude ?? []).map((name) => ({ path: `sets.${set}.exclude`, name, known })),
      ...Object.keys(changes).map((name) => ({ path: `sets.${set}.changes`, name, known })),
    ]),
    ...always.map((name) => ({ path: 'search.always', name, known })),
  ]
}
