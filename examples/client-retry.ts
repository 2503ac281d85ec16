/** Retries a call of an idempotent tool when the connection fails. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, ConnectionLostError, HttpStatusError } from 'portcall/client'

export async function callWithRetries(client: Client, name: string, retries = 3, delayMs = 250): Promise<unknown> {
  try {
    return (await client.callTool(name)).content
  } catch (error) {
    const isTransient = (error instanceof ConnectionLostError || error instanceof HttpStatusError) && error.retryable
    if (!isTransient || retries === 0) throw error
    await sleep(delayMs)
    return callWithRetries(client, name, retries - 1, 2 * delayMs)
  }
}
