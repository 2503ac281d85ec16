import { setLru } from '../../../../util/src/lru.ts'
import { createQualifiedNames, hasHash, type QualifiedName } from '../../connect/group/names.ts'
import type { GatewayNameOptions } from '../api/options.ts'

/** The names of tools, prompts or event types. An item has the same name as long as its server's alias and its own name stay the same. */
export interface NameRoutes {
  /** Returns the names under which items are offered, in the same order. `undefined` marks an item whose name is taken. */
  expose(items: readonly QualifiedName[]): Promise<readonly (string | undefined)[]>
  /** Returns the names that one item may have: the second one if another server has an item of the same name. */
  possibleNames(item: QualifiedName): Promise<readonly string[]>
  /**
   * Returns the server and the name of an item from its name alone. Returns `undefined` if the items have to be listed first, or if there is
   * no such item.
   */
  resolve(name: string): QualifiedName | undefined
  /** Names can be resolved only after listing. */
  readonly needsLists: boolean
}

export interface NameRoutesOptions extends GatewayNameOptions {
  /** The servers by alias. */
  readonly servers: ReadonlyMap<string, unknown>
}

const MAX_HASHED = 100_000

export function createNameRoutes(options: NameRoutesOptions): NameRoutes {
  const { mode = 'always', maxLength = 60, dots = false, servers } = options
  const names = createQualifiedNames({ maxLength, dots })
  const hashed = new Map<string, QualifiedName>()

  const qualify = async (item: QualifiedName): Promise<string> => {
    if (item.server === '') return item.name
    const name = await names.join(item)
    if (hasHash(name)) setLru(hashed, [name, item], MAX_HASHED)
    return name
  }
  const firstWins = (items: readonly QualifiedName[]): (string | undefined)[] => {
    const taken = new Set<string>()
    return items.map(({ name }) => {
      if (taken.has(name)) return undefined
      taken.add(name)
      return name
    })
  }
  const onConflict = async (items: readonly QualifiedName[]): Promise<(string | undefined)[]> => {
    const counts = new Map<string, number>()
    for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1)
    const isBare = ({ name }: QualifiedName): boolean => counts.get(name) === 1 && names.isValid(name) && !split(name)
    return Promise.all(items.map((item) => (isBare(item) ? item.name : qualify(item))))
  }
  const split = (name: string): QualifiedName | undefined => {
    const parts = names.split(name)
    return parts && servers.has(parts.server) ? parts : hashed.get(name)
  }

  return {
    needsLists: mode !== 'always',
    async expose(items) {
      if (mode === 'never') return firstWins(items)
      return mode === 'always' ? Promise.all(items.map(qualify)) : onConflict(items)
    },
    async possibleNames(item) {
      if (mode === 'never') return [item.name]
      return mode === 'always' ? [await qualify(item)] : [item.name, await qualify(item)]
    },
    resolve: mode === 'never' ? () => undefined : split,
  }
}
