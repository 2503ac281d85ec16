/** JSON-RPC messages: they are classified without exceptions, written as they were read, and never deeper than allowed. */
import { classify, exceedsDepth, stringifyMessage } from '../../../packages/portcall/src/jsonrpc/message.ts'
import { shortenDeepItems } from '../../../packages/portcall/src/protocol/deep-items.ts'
import { check } from './pieces.ts'

const MAX_DEPTH = 6

function depthOf(value: unknown): number {
  let depth = 0
  for (let level = [value].filter(isContainer); level.length > 0; depth++)
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  return depth
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

export function fuzz(data: Buffer): void {
  const text = data.toString()
  const shortened = shortenDeepItems(text, MAX_DEPTH)
  exceedsDepth(text, MAX_DEPTH)
  const parsed = parse(text)
  if (!parsed) return
  const { value } = parsed
  const depth = depthOf(value)
  // Each level takes two characters, so that shorter texts are not scanned.
  check(exceedsDepth(text, MAX_DEPTH) === depth > MAX_DEPTH, 'the depth is measured as the parser sees it')
  if (shortened !== undefined) {
    const short = parse(shortened)
    check(short !== undefined, 'a shortened text is JSON')
    check(depthOf(short.value) <= MAX_DEPTH, 'a shortened text is not too deep')
    if (depth <= MAX_DEPTH) check(shortened === text, 'a text that is not too deep is not changed')
  }
  const classified = classify(value)
  if (classified.kind === 'invalid') return
  const written = stringifyMessage(classified.message)
  check(
    JSON.stringify(sorted(JSON.parse(written))) === JSON.stringify(sorted(known(value))),
    'a message is written as it was read',
  )
}

const MEMBERS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']

/** The members that JSON-RPC defines. Others are not sent on. */
function known(value: unknown): unknown {
  if (!isContainer(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => MEMBERS.includes(name)))
}

/** The order of the members of a message does not matter. */
function sorted(value: unknown): unknown {
  return isContainer(value) && !Array.isArray(value)
    ? Object.entries(known(value) as object).sort(([a], [b]) => (a < b ? -1 : 1))
    : value
}
