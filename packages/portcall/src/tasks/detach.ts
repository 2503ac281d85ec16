import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'

/** Calls that are answered in line until their handler says otherwise. */
const attached = new WeakSet<object>()
const detached = new WeakSet<object>()

/**
 * Says that from here on a call goes on as a task: its caller is told of the task and waits no more. The handler is left here and run again
 * from the top, in the background; what was asked and done before is remembered. Where the call is a task already, or does not become one, this
 * does nothing. It is for tools with `task: { begins: 'detach' }`.
 *
 * @example
 * const { email } = await call.elicit('Where shall we send it?', Email)
 * await detach(call)
 * await call.step('render', renderAll)
 */
export async function detach(call: object): Promise<void> {
  if (!attached.has(call)) return
  detached.add(call)
  throw new Detached()
}

/** Leaves a handler whose call becomes a task. */
class Detached extends RpcError {
  constructor() {
    super(ErrorCode.internalError, 'The call goes on as a task')
  }
}

/** Runs a handler up to where it detaches, if it does. Tells whether it did. */
export async function runAttached<T>(call: object, run: () => Promise<T>): Promise<{ result: T } | 'detached'> {
  attached.add(call)
  try {
    const result = await run()
    return detached.has(call) ? 'detached' : { result }
  } catch (error) {
    if (error instanceof Detached) return 'detached'
    throw error
  } finally {
    attached.delete(call)
  }
}
