/** Distinguishes the ways in which a call fails. */
import { type Client, ConnectionLostError, HttpStatusError, RpcError, TimeoutError } from 'portcall/client'

export async function tryTool(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    const { isError, content } = await client.callTool(name, args)
    return `${isError ? 'the tool failed' : 'done'}: ${JSON.stringify(content)}`
  } catch (error) {
    if (error instanceof RpcError) return `the server returned an error: ${error.code} ${error.message}`
    if (error instanceof HttpStatusError) return `HTTP ${error.status}: ${error.body}`
    if (error instanceof ConnectionLostError || error instanceof TimeoutError) return `the outcome is unknown: ${error.message}`
    throw error
  }
}
