/** Call options, and a client typed by its server. */
import { createServer } from 'portcall'
import { type Client, connect, TimeoutError } from 'portcall/client'
import * as z from 'zod'

// #region typed
export const server = createServer({ name: 'calls', version: '1.0.0' })
  .tool('add', { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, ({ a, b }) => ({
    sum: a + b,
  }))
  .tool('whoami', {}, (_, call) => call.header('x-user') ?? 'anonymous')

export async function add(url: string): Promise<number | undefined> {
  const client = await connect<typeof server>(url)
  const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
  await client.close()
  return structuredContent?.sum
}
// #endregion

// #region timeouts
/** Calls a slow tool with progress and cancellation. */
export async function count(
  client: Client,
  { signal, show }: { signal?: AbortSignal; show(text: string): void },
): Promise<unknown> {
  try {
    const { content } = await client.callTool(
      'count',
      { to: 3 },
      {
        onProgress: ({ progress, total, message }) => show(`${progress} of ${total}, ${message}`),
        timeouts: { requestTimeoutMs: 10_000, totalTimeoutMs: 60_000 },
        ...(signal && { signal }),
      },
    )
    return content
  } catch (error) {
    if (error instanceof TimeoutError) return 'It took too long'
    throw error
  }
}
// #endregion

// #region headers
export async function whoAmI(url: string): Promise<unknown> {
  const client = await connect(url, { headers: () => ({ authorization: 'Bearer fresh' }) })
  const { content } = await client.callTool('whoami', {}, { headers: { 'x-user': 'ann' } })
  await client.close()
  return content
}
// #endregion
