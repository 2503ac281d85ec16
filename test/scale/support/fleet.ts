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

/** The memory and resources of a process after a garbage collection. */
export interface Memory {
  readonly heap: number
  readonly rss: number
  /** The resources that keep its event loop alive. */
  readonly handles: readonly string[]
  /** The keys in its memory store. */
  readonly keys: readonly string[]
}

/** The arguments and variables of one process. */
export interface NodeOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The processes of the service. */
export interface Fleet {
  /** The running processes. */
  readonly nodes: Node[]
  /** Starts another process. `options` override those of the fleet. */
  start(options?: NodeOptions): Promise<Node>
  /** Kills a process with SIGKILL. */
  kill(node: Node): void
  stop(): Promise<void>
}

/** Starts processes on one store. */
export async function startFleet(args: readonly string[], count: number, env: Record<string, string> = {}): Promise<Fleet> {
  const nodes: Node[] = []
  const start = async (options: NodeOptions = {}): Promise<Node> => {
    const variables = { ...process.env, ...env, ...options.env }
    const child = fork(PROGRAM, [...(options.args ?? args)], { execArgv: ['--expose-gc'], env: variables })
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
