/** What can go wrong, and what is safe to do about it. */
import { type Client, ConnectionLost, HttpStatusError, RpcError } from 'portcall/client'

// #region errors
/** Calls a tool, and says in words what came of it. */
export async function tryTool(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    const { isError, content } = await client.callTool(name, args)
    return `${isError ? 'the tool failed' : 'done'}: ${JSON.stringify(content)}`
  } catch (error) {
    if (error instanceof RpcError) return `the server said no: ${error.code} ${error.message}`
    if (error instanceof HttpStatusError) return `HTTP ${error.status}: ${error.body}`
    if (error instanceof ConnectionLost) return `nobody knows whether it was done: ${error.message}`
    throw error
  }
}
// #endregion

// #region again
/** Calls a tool that does no harm when it is called twice, until somebody answers. */
export async function callAgain(client: Client, name: string, tries = 3): Promise<unknown> {
  try {
    return (await client.callTool(name)).content
  } catch (error) {
    const isPassing = (error instanceof ConnectionLost || error instanceof HttpStatusError) && error.retryable
    if (!isPassing || tries === 1) throw error
    return callAgain(client, name, tries - 1)
  }
}
// #endregion
