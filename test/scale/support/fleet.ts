import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../node.mjs', import.meta.url))

/** One process of the service. */
export interface Node {
  readonly url: string
  readonly process: ChildProcess
  memory(): Promise<Memory>
}

/** What a process holds, after its garbage was collected. */
export interface Memory {
  readonly heap: number
  readonly rss: number
  /** What keeps its event loop alive, by kinds. */
  readonly handles: readonly string[]
  /** Of its sessions, in a store in memory. */
  readonly keys: readonly string[]
}

/** What is different about one process. */
export interface Own {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The processes of the service; `nodes` are those that run. */
export interface Fleet {
  readonly nodes: Node[]
  /** Starts one more, with variables and arguments of its own. */
  start(own?: Own): Promise<Node>
  /** kill -9. */
  kill(node: Node): void
  stop(): Promise<void>
}

/** Starts processes on one store. */
export async function startFleet(args: readonly string[], count: number, env: Record<string, string> = {}): Promise<Fleet> {
  const nodes: Node[] = []
  const start = async (own: Own = {}): Promise<Node> => {
    const variables = { ...process.env, ...env, ...own.env }
    const child = fork(PROGRAM, [...(own.args ?? args)], { execArgv: ['--expose-gc'], env: variables })
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    const memory = async () => {
      child.send('memory')
      return ((await once(child, 'message')) as [Memory])[0]
    }
    const node = { url, process: child, memory }
    nodes.push(node)
    return node
  }
  const kill = (node: Node): void => {
    nodes.splice(nodes.indexOf(node), 1)
    node.process.kill('SIGKILL')
  }
  await Promise.all(Array.from({ length: count }, () => start()))
  return {
    nodes,
    start,
    kill,
    async stop() {
      for (const node of [...nodes]) kill(node)
    },
  }
}
