/** Refuses names in options that refer to nothing on the server: what they should hide, set or list would stay as it is. */
import { closestName } from '../../../util/src/closest-name.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { UNAVAILABLE_META } from '../protocol/meta.ts'
import type { ListedKind } from './kinds.ts'

/** A name in the options of a transform or of other middleware. */
export interface UsedName {
  /** The option, as it is called in messages: `hide()`. */
  readonly option: string
  /** The name. A pattern with `*` may match nothing. */
  readonly name: string
  /** The kinds of items that may have the name. */
  readonly kinds: readonly ListedKind[]
}

/** Checks names against the lists of a server. */
export interface NameCheck {
  /**
   * Checks the names of one kind. `others` returns the names of another kind, for options that may name either.
   *
   * @throws RpcError -32603 for a name that the server has never listed.
   */
  check(kind: ListedKind, listed: readonly string[], others?: (kind: ListedKind) => Promise<readonly string[]>): Promise<void>
}

/** Returns the texts among names that are no patterns, as names of an option. */
export function usedNames(option: string, names: readonly string[], kinds: readonly ListedKind[]): UsedName[] {
  return names.filter((name) => !name.includes('*')).map((name) => ({ option, name, kinds }))
}

/** Creates the check of some names. A name that was listed once is not checked again: items may go away later. */
export function createNameCheck(names: readonly UsedName[]): NameCheck {
  const unseen = new Set(names)
  return {
    async check(kind, listed, others) {
      for (const used of [...unseen].filter(({ kinds }) => kinds.includes(kind))) {
        const known = listed.includes(used.name) ? listed : [...listed, ...(await namesOfOthers(used, kind, others))]
        if (!known.includes(used.name)) throw unknownName(used, known)
        unseen.delete(used)
      }
    },
  }
}

async function namesOfOthers(
  { kinds }: UsedName,
  kind: ListedKind,
  others: Parameters<NameCheck['check']>[2],
): Promise<readonly string[]> {
  const lists = await Promise.all(kinds.filter((other) => other !== kind).map((other) => others?.(other) ?? []))
  return lists.flat()
}

/** Reports whether a list says which items a server has: the caller is not one of several with lists of their own, and no server is missing. */
export function isWholeList(rest: JsonObject, { auth }: Pick<ExchangeContext, 'auth'>): boolean {
  return auth === undefined && !(isObject(rest._meta) && UNAVAILABLE_META in rest._meta)
}

function unknownName({ option, name, kinds }: UsedName, known: readonly string[]): RpcError {
  const items = kinds.length > 1 ? 'item' : kinds[0]
  const closest = closestName(name, known)
  const hint = closest === undefined ? '' : `. Did you mean ${closest}?`
  return new RpcError(
    ErrorCode.internalError,
    `${option} names the ${items} ${JSON.stringify(name)}, which the server does not have${hint}`,
  )
}
