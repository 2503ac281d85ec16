/** A call with progress, a time limit and cancellation. */
import { type Client, TimeoutError } from 'portcall/client'

export async function count(client: Client, show: (text: string) => void, signal: AbortSignal): Promise<unknown> {
  try {
    const { content } = await client.callTool(
      'count',
      { to: 3 },
      {
        onProgress: ({ progress, total, message }) => show(`${progress} of ${total}, ${message}`),
        timeouts: { requestTimeoutMs: 10_000, totalTimeoutMs: 60_000 },
        signal,
      },
    )
    return content
  } catch (error) {
    if (error instanceof TimeoutError) return 'The server did not respond in time'
    throw error
  }
}
