import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'

/** The calls whose client waits for the result, so that `detach` has an effect. */
const attachedCalls = new WeakSet<object>()
const detachedCalls = new WeakSet<object>()

/**
 * Turns a call into a task at this point. The client receives the task immediately; the handler is run again from the start in the
 * background, with the input responses and the results of steps so far. Does nothing if the call is a task already or cannot become one. For
 * tools with `task: { support, createAt: 'detach' }`.
 *
 * @example
 * const { email } = await call.elicit('Where shall we send it?', Email)
 * await detach(call)
 * await call.step('render', renderAll)
 */
export async function detach(call: object): Promise<void> {
  if (!attachedCalls.has(call)) return
  detachedCalls.add(call)
  throw new DetachSignal()
}

/** Thrown to leave the handler of a call that becomes a task. */
class DetachSignal extends RpcError {
  constructor() {
    super(ErrorCode.internalError, 'The call continues as a task')
  }
}

/** Runs a handler until it returns or detaches. */
export async function runAttached<T>(call: object, run: () => Promise<T>): Promise<{ result: T } | 'detached'> {
  attachedCalls.add(call)
  try {
    const result = await run()
    return detachedCalls.has(call) ? 'detached' : { result }
  } catch (error) {
    if (error instanceof DetachSignal) return 'detached'
    throw error
  } finally {
    attachedCalls.delete(call)
  }
}
