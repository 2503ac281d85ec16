/** Client errors, and which calls are safe to retry. */
import { type Client, ConnectionLostError, HttpStatusError, RpcError } from 'portcall/client'

// #region errors
/** Calls a tool and describes the outcome. */
export async function tryTool(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    const { isError, content } = await client.callTool(name, args)
    return `${isError ? 'the tool failed' : 'done'}: ${JSON.stringify(content)}`
  } catch (error) {
    if (error instanceof RpcError) return `the server returned an error: ${error.code} ${error.message}`
    if (error instanceof HttpStatusError) return `HTTP ${error.status}: ${error.body}`
    if (error instanceof ConnectionLostError) return `the outcome is unknown: ${error.message}`
    throw error
  }
}
// #endregion

// #region again
/** Calls an idempotent tool and retries when the connection fails. */
export async function callAgain(client: Client, name: string, tries = 3): Promise<unknown> {
  try {
    return (await client.callTool(name)).content
  } catch (error) {
    const isPassing = (error instanceof ConnectionLostError || error instanceof HttpStatusError) && error.retryable
    if (!isPassing || tries === 1) throw error
    return callAgain(client, name, tries - 1)
  }
}
// #endregion
