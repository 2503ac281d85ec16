import { isJsonEqual } from '../../../util/src/json-equal.ts'
import type { Change, Subscription } from '../client/subscriptions.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { CallToolResult } from '../protocol/types.ts'
import { assertionError, formatValue } from './assertion-error.ts'
import { withCause } from './pair/show-causes.ts'

/** The part of a tool result that the assertions check. */
export type AssertedResult = Pick<CallToolResult, 'content'> & {
  /** True if the tool failed. */
  readonly isError?: boolean | undefined
  /** The result as a JSON value. */
  readonly structuredContent?: unknown
  /** The exception of the handler; clients of `connectPair` get it. */
  readonly cause?: unknown
}

/** Returns the text of a tool result: its text blocks, joined by line breaks. */
export function textOf({ content }: AssertedResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** Asserts that a tool call succeeded with exactly this text, or with text that matches. */
export function assertText(result: AssertedResult, expected: string | RegExp): void {
  if (result.isError) throw toolFailure(result, expected)
  checkText('The tool returned a different text', textOf(result), expected)
}

/** Asserts that a tool call succeeded with this structured content. The order of fields is irrelevant; `undefined` means absent. */
export function assertStructured(result: AssertedResult, expected: unknown): void {
  const { structuredContent: actual } = result
  if (result.isError) throw toolFailure(result, expected)
  if (!isJsonEqual(actual, expected)) throw assertionError('The tool returned different structured content', { actual, expected })
}

function toolFailure(result: AssertedResult, expected: unknown): Error {
  const { cause } = result
  return assertionError(withCause('The tool call failed', cause), { actual: textOf(result), expected, cause })
}

/** Asserts that a tool call failed, with exactly this text or with text that matches. */
export function assertError(result: AssertedResult, expected?: string | RegExp): void {
  if (!result.isError)
    throw assertionError('The tool call did not fail', { actual: textOf(result), expected: expected ?? 'an error' })
  if (expected !== undefined) checkText('The tool call failed with a different text', textOf(result), expected)
}

/** The error that `assertRejects` expects. */
export interface ExpectedRejection {
  /** The `code` of the error: a JSON-RPC code, or the code of an error class. */
  readonly code?: number | string
  /** The exact message, or a pattern that it matches. */
  readonly message?: string | RegExp
}

/** Asserts that a promise rejects with an error as expected. Returns the error. */
export async function assertRejects(call: Promise<unknown>, expected: ExpectedRejection = {}): Promise<Error> {
  const { error, value } = await call.then(
    (result) => ({ error: undefined, value: result }),
    (reason: unknown) => ({ error: reason, value: undefined }),
  )
  if (!(error instanceof Error))
    throw assertionError('The call did not reject with an error', { actual: error ?? value, expected })
  const { code, message } = expected
  const actualCode = isObject(error) ? error.code : undefined
  if (code !== undefined && actualCode !== code)
    throw assertionError(`The call rejected with a different code: ${error.message}`, { actual: actualCode, expected: code })
  if (message !== undefined) checkText('The call rejected with a different message', error.message, message)
  return error
}

/** Asserts that a call fails with a JSON-RPC error. Returns the error. */
export async function assertRpcError(call: Promise<unknown>, code: number): Promise<RpcError> {
  const error = await assertRejects(call, { code })
  if (!(error instanceof RpcError))
    throw assertionError('The error is not a response of the server', { actual: formatValue(error), expected: code })
  return error
}

const COLLECT_TIMEOUT_MS = 5000

/**
 * Waits for `count` changes, and returns them in order. The subscription stays open.
 *
 * @throws Error when the changes do not arrive within `timeoutMs`, or when the subscription ends.
 */
export async function collectChanges(
  subscription: Subscription,
  count: number,
  timeoutMs: number = COLLECT_TIMEOUT_MS,
): Promise<Change[]> {
  const received: Change[] = []
  const changes = subscription[Symbol.asyncIterator]()
  const timedOut = { done: 'timed out' as const }
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(() => resolve(timedOut), timeoutMs)
  })
  try {
    while (received.length < count) {
      const next = await Promise.race([changes.next(), timeout])
      if (next.done === 'timed out')
        throw assertionError(`Too few changes arrived within ${timeoutMs} ms`, { actual: received, expected: count })
      if (next.done) throw assertionError('The subscription has ended', { actual: received, expected: count })
      received.push(next.value)
    }
    return received
  } finally {
    clearTimeout(timer)
  }
}

function checkText(message: string, actual: string, expected: string | RegExp): void {
  const matches =
    typeof expected === 'string'
      ? actual === expected
      : new RegExp(expected.source, expected.flags.replace(/[gy]/g, '')).test(actual)
  if (!matches) throw assertionError(message, { actual, expected })
}
