import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'

/** The cursors of lists. A cursor is valid for one caller and one list. */
export interface ListCursors {
  /** Returns the cursor of a position. */
  seal(position: unknown, list: CursorBinding): Promise<string>
  /**
   * Returns the position of a cursor, or `undefined` without a cursor. `null` counts as none.
   *
   * @throws RpcError if it has expired, was changed, or belongs to another caller or list.
   */
  open(cursor: unknown, list: CursorBinding): Promise<unknown>
}

/** The caller and the list of a cursor. */
export interface CursorBinding extends Pick<ExchangeContext, 'auth'> {
  readonly method: string
}

const TTL_MS = 86_400_000
const PURPOSE = 'gateway-cursor'

export function createListCursors(sealer: Sealer): ListCursors {
  const claimsOf = ({ auth, method }: CursorBinding) => ({ principal: auth?.principal, binding: method })
  return {
    seal: (position, list) => sealer.seal(PURPOSE, position, { ttlMs: TTL_MS, ...claimsOf(list) }),
    async open(cursor, list) {
      if (cursor === undefined || cursor === null) return undefined
      if (typeof cursor !== 'string') throw invalidCursor()
      return sealer.open(PURPOSE, cursor, claimsOf(list)).catch(() => {
        throw invalidCursor()
      })
    },
  }
}

/** Returns the error for a cursor that is not valid for a list. */
export function invalidCursor(): ReturnType<typeof invalidParams> {
  return invalidParams('the cursor has expired or is not valid for this list; start again without a cursor')
}
