import { type Client, ConnectionLostError, HttpStatusError, RpcError, TimeoutError } from 'portcall/client'

/** Calls a tool and describes the outcome. */
export async function tryTool(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  try {
    const { isError, content } = await client.callTool(name, args)
    return `${isError ? 'The tool failed' : 'Done'}: ${JSON.stringify(content)}`
  } catch (error) {
    if (error instanceof RpcError) return `The server returned the error ${error.code}: ${error.message}`
    if (error instanceof HttpStatusError) return `HTTP ${error.status}: ${error.body}`
    if (error instanceof ConnectionLostError || error instanceof TimeoutError) return `The outcome is unknown: ${error.message}`
    throw error
  }
}
