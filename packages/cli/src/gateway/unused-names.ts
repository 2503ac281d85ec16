import type { Gateway, GatewayConfig, ItemRules, ServerItem } from 'portcall/gateway'
import { closestName } from '../../../util/src/closest-name.ts'
import { createNameMatcher } from '../../../util/src/name-matcher.ts'
import { toStrings } from '../../../util/src/strings.ts'

/** The items of one server, by their names on the server. A list that is not known is absent. */
export interface ServerLists {
  readonly tools?: ReadonlyMap<string, ServerItem> | undefined
  readonly prompts?: ReadonlyMap<string, ServerItem> | undefined
}

/** A name in a configuration that no server has. */
export interface UnusedName {
  /** The place of the name in the configuration, and the name. */
  readonly key: string
  /** The sentence to print. */
  readonly message: string
}

/** An item, under the names that a configuration may give it. */
interface KnownItem {
  /** The names that are right in this place. */
  readonly right: readonly string[]
  /** The names that are right in other places. */
  readonly others: readonly string[]
}

/** A name in a configuration, and the items that exist there. */
interface UsedName {
  readonly path: string
  readonly name: string
  /** `undefined` if the list of a server that may have the name is not known. */
  readonly known: readonly KnownItem[] | undefined
}

type Lists = ReadonlyMap<string, ServerLists>
type Kind = keyof ServerLists
const KINDS: readonly Kind[] = ['tools', 'prompts']
/** Separates the server from the item in the patterns of rules. */
const SEPARATOR = '__'

/** Fetches the lists of a server that a gateway is connected to. */
export async function readServerLists(gateway: Gateway, server: string): Promise<ServerLists> {
  const [tools, prompts] = await Promise.all([gateway.serverItems(server, 'tool'), gateway.serverItems(server, 'prompt')])
  return { tools, prompts }
}

/** Returns the keys of all names of tools and prompts in a configuration. */
export function namesIn(config: GatewayConfig): string[] {
  return usedNames(config, new Map()).map(keyOf)
}

/**
 * Returns each name of a tool or prompt in filters, rules, limits and sets that no server has. Patterns with `*` may match nothing. `lists` has the
 * servers whose lists are known; a name that another server may have is not returned.
 */
export function unusedNames(config: GatewayConfig, lists: Lists): UnusedName[] {
  return usedNames(config, lists).flatMap((used) => {
    const { path, name, known } = used
    if (!known || known.some(({ right }) => right.includes(name))) return []
    const closest = suggestName(name, known)
    const suggestion = closest === undefined ? '' : `; did you mean ${closest}?`
    return { key: keyOf(used), message: `gateway.${path} names ${name}, which no server has${suggestion}` }
  })
}

function usedNames(config: GatewayConfig, lists: Lists): UsedName[] {
  const all = [...filterNames(config, lists), ...ruleNames(config, lists), ...setNames(config, lists)]
  return all.filter(({ name }) => !name.includes('*'))
}

function keyOf({ path, name }: UsedName): string {
  return `${path} ${name}`
}

/** Finds the name of an item that is written as in another place of a configuration, or is misspelled. */
function suggestName(name: string, known: readonly KnownItem[]): string | undefined {
  const spellings = new Map<string, string>()
  const add = (spelling: string, right: string): void => void (spellings.has(spelling) || spellings.set(spelling, right))
  for (const { right } of known) for (const spelling of right) add(spelling, spelling)
  for (const { right, others } of known) for (const spelling of others) if (right[0] !== undefined) add(spelling, right[0])
  const closest = spellings.has(name) ? name : closestName(name, [...spellings.keys()])
  return closest === undefined ? undefined : spellings.get(closest)
}

type Place = 'filter' | 'rule' | 'offered'

/** Returns the items of a server, under the names that are right in a place. */
function itemsIn(place: Place, server: string, list: ReadonlyMap<string, ServerItem> | undefined): KnownItem[] | undefined {
  return (
    list &&
    [...list].map(([own, { offeredAs }]) => {
      const qualified = `${server}${SEPARATOR}${own}`
      const right = { filter: [own], rule: [qualified, own], offered: offeredAs }[place]
      return { right, others: [own, qualified, ...offeredAs] }
    })
  )
}

/** Returns the items of several servers, or `undefined` if a list is not known. */
function itemsOfAll(
  servers: readonly string[],
  { place, kind, lists }: { readonly place: Place; readonly kind: Kind; readonly lists: Lists },
): KnownItem[] | undefined {
  const items = servers.map((server) => itemsIn(place, server, lists.get(server)?.[kind]))
  return items.every((one) => one !== undefined) && items.length > 0 ? items.flat() : undefined
}

/** Returns the names of all servers, with those that are left out: they have items that are not known. */
function serversOf({ options, unusable }: GatewayConfig): string[] {
  return [...new Set([...Object.keys(options.servers), ...Object.keys(unusable)])]
}

function filterNames({ options }: GatewayConfig, lists: Lists): UsedName[] {
  return Object.entries(options.servers).flatMap(([server, settings]) => {
    if (typeof settings !== 'object' || !('target' in settings)) return []
    const rules: { readonly [kind in Kind]?: ItemRules } = settings
    return KINDS.flatMap((kind) =>
      Object.entries(rules[kind] ?? {}).flatMap(([member, value]) =>
        (Array.isArray(value) ? value : Object.keys(value)).map((name: string) => ({
          path: `servers.${server}.${kind}.${member}`,
          name,
          known: itemsIn('filter', server, lists.get(server)?.[kind]),
        })),
      ),
    )
  })
}

function ruleNames(config: GatewayConfig, lists: Lists): UsedName[] {
  const { policy, limits } = config.policies
  const rules = [
    ...(policy?.rules ?? []).map((rule, at) => ({ path: `policy.rules[${at}]`, rule })),
    ...(limits ?? []).map((rule, at) => ({ path: `limits[${at}]`, rule })),
  ]
  return rules.flatMap(({ path, rule }) => {
    const servers = serversOf(config).filter(createNameMatcher(toStrings(rule.servers ?? '*')))
    const place = rule.servers === undefined ? 'rule' : 'filter'
    return KINDS.flatMap((kind) =>
      toStrings(rule[kind] ?? []).map((name) => ({
        path: `${path}.${kind}`,
        name,
        known: itemsOfAll(servers, { place, kind, lists }),
      })),
    )
  })
}

function setNames(config: GatewayConfig, lists: Lists): UsedName[] {
  const { search, sets = {} } = config.settings
  const known = itemsOfAll(serversOf(config), { place: 'offered', kind: 'tools', lists })
  const always = typeof search === 'object' ? (search.always ?? []) : []
  return [
    ...Object.entries(sets).flatMap(([set, { tools, exclude, changes = {} }]) => [
      ...toStrings(tools ?? []).map((name) => ({ path: `sets.${set}.tools`, name, known })),
      ...toStrings(exclude ?? []).map((name) => ({ path: `sets.${set}.exclude`, name, known })),
      ...Object.keys(changes).map((name) => ({ path: `sets.${set}.changes`, name, known })),
    ]),
    ...always.map((name) => ({ path: 'search.always', name, known })),
  ]
}
