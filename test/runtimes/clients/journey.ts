/** The client scenario that runs on every runtime. */
import { type Client, type ConnectTarget, connect } from 'portcall/client'

/** The results of a client, as JSON. */
export interface Seen {
  server: string | undefined
  tools: string[]
  sum: unknown
  /** The error for invalid arguments. */
  misfit: string
  greeting: unknown
  progress: number[]
  /** True if the server was notified of a cancelled call. */
  cancelled: boolean
  memo: unknown
  change: unknown
  status: string
}

/** The expected results. */
export const EXPECTED: Seen = {
  server: 'runtimes',
  tools: ['add', 'greet', 'count', 'wait', 'hang', 'hanging', 'cancelled', 'change'],
  sum: { sum: 5 },
  misfit: 'names the argument',
  greeting: 'Hello Ada',
  progress: [1, 2, 3],
  cancelled: true,
  memo: 'a',
  change: { type: 'resource', uri: 'memo://a' },
  status: 'closed',
}

/** The options of the scenario. */
export interface Way {
  /** The revision. Default: the newest. */
  readonly revision?: string | undefined
  /** True if the client subscribes to changes. Default: true. */
  readonly listens?: boolean
  /** True if the client cancels a call. Default: true. */
  readonly cancels?: boolean
  readonly onStderr?: (text: string) => void
}

/** Uses every feature of a server. */
export async function travel(
  target: ConnectTarget,
  { revision: protocolVersion, listens = true, cancels = true, onStderr }: Way = {},
): Promise<Seen> {
  const client = await connect(target, {
    elicit: () => ({ name: 'Ada' }),
    ...(protocolVersion && { protocolVersion }),
    ...(onStderr && { onStderr }),
  })
  try {
    return { ...(await look(client, cancels)), change: listens ? await nextChange(client) : undefined, status: await end(client) }
  } finally {
    await client.close()
  }
}

async function look(client: Client, cancels: boolean): Promise<Omit<Seen, 'change' | 'status'>> {
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
  // On a slow machine the call may be cancelled before it reaches the server.
  for (let tries = 0; cancels && tries < 5 && !cancelled; tries++) {
    await client.callTool('wait', {}, { signal: AbortSignal.timeout(100) }).catch(() => {})
    cancelled = await grows(() => textOf('cancelled'), before)
  }
  const { contents } = await client.readResource('memo://a')
  return {
    server: serverInfo?.name,
    tools,
    sum,
    misfit: /\bb\b.*number/.test(misfit) ? 'names the argument' : misfit,
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

/** Reports whether a count increases within seconds. */
async function grows(count: () => Promise<unknown>, before: unknown): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (Number(await count()) > Number(before)) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
