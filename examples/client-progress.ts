import { connect, TimeoutError } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

const cancellation = new AbortController()
process.once('SIGINT', () => cancellation.abort(new Error('You pressed Ctrl-C')))

try {
  const { content } = await client.callTool(
    'count',
    { to: 3 },
    {
      onProgress: ({ progress, total, message }) => console.log(`${progress} of ${total}: ${message}`),
      timeouts: { requestTimeoutMs: 10_000, totalTimeoutMs: 60_000 },
      signal: cancellation.signal,
    },
  )
  console.log(content)
} catch (error) {
  console.error(error instanceof TimeoutError ? 'The server did not respond in time' : error)
}

await client.close()
