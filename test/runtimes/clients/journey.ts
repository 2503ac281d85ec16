/** The same short life of a client on every runtime. */
import { type Client, connect, type ConnectTarget } from 'portcall/client'

/** What a client saw, as JSON. */
export interface Seen {
  server: string | undefined
  tools: string[]
  sum: unknown
  /** What is said about arguments that do not fit. */
  misfit: string
  greeting: unknown
  progress: number[]
  /** Whether the server heard that a call was given up. */
  cancelled: boolean
  memo: unknown
  change: unknown
  status: string
}

/** What it sees when all is well. */
export const EXPECTED: Seen = {
  server: 'runtimes',
  tools: ['add', 'greet', 'count', 'wait', 'cancelled', 'change'],
  sum: { sum: 5 },
  misfit: 'says where',
  greeting: 'Hello Ada',
  progress: [1, 2, 3],
  cancelled: true,
  memo: 'a',
  change: { type: 'resource', uri: 'memo://a' },
  status: 'closed',
}

/** How a client goes. */
export interface Way {
  /** Default: the newest. */
  readonly revision?: string | undefined
  /** Whether it listens for changes. Default: true. */
  readonly listens?: boolean
  readonly onStderr?: (text: string) => void
}

/** Goes through all that a client can do with a server. */
export async function travel(target: ConnectTarget, { revision: protocolVersion, listens = true, onStderr }: Way = {}): Promise<Seen> {
  const client = await connect(target, {
    elicit: () => ({ name: 'Ada' }),
    ...(protocolVersion && { protocolVersion }),
    ...(onStderr && { onStderr }),
  })
  try {
    return { ...(await look(client)), change: listens ? await nextChange(client) : undefined, status: await end(client) }
  } finally {
    await client.close()
  }
}

async function look(client: Client): Promise<Omit<Seen, 'change' | 'status'>> {
  const textOf = async (name: string): Promise<unknown> => {
    const [first] = (await client.callTool(name)).content
    return first?.type === 'text' ? first.text : first
  }
  const { serverInfo } = await client.discover()
  const tools = (await client.tools().toArray()).map(({ name }) => name)
  const { structuredContent: sum } = await client.callTool('add', { a: 2, b: 3 })
  const misfit = await client.callTool('add', { a: 2, b: 'three' }).then(JSON.stringify, String)
  const progress: number[] = []
  await client.callTool('count', {}, { onProgress: (report) => progress.push(report.progress) })
  const greeting = await textOf('greet')
  const before = await textOf('cancelled')
  let cancelled = false
  // What a slow machine cancels before it is there is nothing to the server.
  for (let tries = 0; tries < 5 && !cancelled; tries++) {
    await client.callTool('wait', {}, { signal: AbortSignal.timeout(100) }).catch(() => {})
    cancelled = await grows(() => textOf('cancelled'), before)
  }
  const { contents } = await client.readResource('memo://a')
  return {
    server: serverInfo?.name,
    tools,
    sum,
    misfit: /\bb\b.*number/.test(misfit) ? 'says where' : misfit,
    greeting,
    progress,
    cancelled,
    memo: contents[0] && 'text' in contents[0] ? contents[0].text : undefined,
  }
}

async function end(client: Client): Promise<string> {
  await client.close()
  return client.status
}

async function nextChange(client: Client): Promise<unknown> {
  const changes = client.listen({ resourceSubscriptions: ['memo://a'] })
  await changes.acknowledged
  await client.callTool('change')
  for await (const change of changes) return change
  return 'none came'
}

/** Whether a count goes up within seconds. */
async function grows(count: () => Promise<unknown>, before: unknown): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (Number(await count()) > Number(before)) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
