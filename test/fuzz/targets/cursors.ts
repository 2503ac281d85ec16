/** Cursors of lists: only those that the server created for this list and caller return a page. */
import { RpcError } from '../../../packages/portcall/src/jsonrpc/errors.ts'
import { paginate } from '../../../packages/portcall/src/server/features/paging.ts'
import { check, splitInput } from './pieces.ts'
import { change, fixedSealer } from './tokens.ts'

const sealer = fixedSealer()
const ITEMS = Array.from({ length: 10 }, (_, at) => `item ${at}`)
const list = (cursor: unknown, principal = 'ada') =>
  paginate(ITEMS, { cursor, size: 4, keyOf: (item: string) => item, list: 'tools/list', principal }, sealer)
const real = list(undefined).then(({ nextCursor = '' }) => nextCursor)

export async function fuzz(data: Buffer): Promise<void> {
  const [edits, text] = splitInput(data)
  const token = await real
  for (const cursor of [text.toString(), change(token, edits)]) {
    const page = await list(cursor).catch(refusal)
    check((page !== undefined) === (cursor === token), 'exactly the real cursor is accepted')
    check((await list(cursor, 'eve').catch(refusal)) === undefined, 'a cursor is not accepted from another caller')
  }
}

function refusal(error: unknown): undefined {
  check(error instanceof RpcError && error.code === -32602, 'a cursor is refused with -32602')
}
