import type { Change, Subscription } from '../client/subscribe.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { CallToolResult } from '../protocol/types.ts'
import { failed, shown } from './failure.ts'

/** The part of a tool result that the assertions look at. */
export type AssertedResult = Pick<CallToolResult, 'content'> & {
  readonly isError?: boolean | undefined
  readonly structuredContent?: unknown
}

/** The text of a result: that of all its text blocks, one a line. */
export function textOf({ content }: AssertedResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** Asserts that a tool succeeded and gave exactly this text, or one that matches. */
export function assertText(result: AssertedResult, expected: string | RegExp): void {
  if (result.isError) throw failed('The tool failed', { actual: textOf(result), expected })
  checkText('The tool gave another text', textOf(result), expected)
}

/** Asserts that a tool succeeded and gave this structured content, in any order of fields; `undefined` counts as absent. */
export function assertStructured(result: AssertedResult, expected: unknown): void {
  const { structuredContent: actual } = result
  if (result.isError) throw failed('The tool failed', { actual: textOf(result), expected })
  if (!sameJson(actual, expected)) throw failed('The tool gave another structured content', { actual, expected })
}

/** Asserts that a tool failed, and told the model this text, or one that matches. */
export function assertError(result: AssertedResult, expected?: string | RegExp): void {
  if (!result.isError) throw failed('The tool did not fail', { actual: textOf(result), expected: expected ?? 'an error' })
  if (expected !== undefined) checkText('The tool failed with another text', textOf(result), expected)
}

/** What is known of an error: its code (of the wire, or of the class), and its message or what it matches. */
export interface ExpectedRejection {
  readonly code?: number | string
  readonly message?: string | RegExp
}

/** Asserts that a call rejects as expected, and gives the error. */
export async function assertRejects(call: Promise<unknown>, expected: ExpectedRejection = {}): Promise<Error> {
  const { error, value } = await call.then(
    (found) => ({ error: undefined, value: found }),
    (reason: unknown) => ({ error: reason, value: undefined }),
  )
  if (!(error instanceof Error)) throw failed('The call did not reject with an error', { actual: error ?? value, expected })
  const { code, message } = expected
  const found = isObject(error) ? error.code : undefined
  if (code !== undefined && found !== code)
    throw failed(`The call rejected with another code: ${error.message}`, { actual: found, expected: code })
  if (message !== undefined) checkText('The call rejected with another message', error.message, message)
  return error
}

/** Asserts that a call is answered with an error of the protocol, and gives it. */
export async function assertRpcError(call: Promise<unknown>, code: number): Promise<RpcError> {
  const error = await assertRejects(call, { code })
  if (!(error instanceof RpcError))
    throw failed('The error did not come from the server', { actual: shown(error), expected: code })
  return error
}

const COLLECT_MS = 5000

/** Waits for so many changes, and gives them in order; the subscription stays open. Rejects when they do not come in time. */
export async function collectChanges(
  subscription: Subscription,
  count: number,
  timeoutMs: number = COLLECT_MS,
): Promise<Change[]> {
  const found: Change[] = []
  const changes = subscription[Symbol.asyncIterator]()
  const late = { done: 'late' as const }
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), timeoutMs)
  })
  try {
    while (found.length < count) {
      const next = await Promise.race([changes.next(), timeout])
      if (next.done === 'late')
        throw failed(`There were too few changes within ${timeoutMs} ms`, { actual: found, expected: count })
      if (next.done) throw failed('The subscription has ended', { actual: found, expected: count })
      found.push(next.value)
    }
    return found
  } finally {
    clearTimeout(timer)
  }
}

function checkText(message: string, actual: string, expected: string | RegExp): void {
  const fits =
    typeof expected === 'string'
      ? actual === expected
      : new RegExp(expected.source, expected.flags.replace(/[gy]/g, '')).test(actual)
  if (!fits) throw failed(message, { actual, expected })
}

/** Compares values as JSON does, in any order of fields. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((one, at) => sameJson(one, right[at]))
  if (!isObject(left) || !isObject(right)) return left === right
  const keysOf = (value: object): string[] => Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [key]))
  const keys = keysOf(left)
  return keys.length === keysOf(right).length && keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
}
