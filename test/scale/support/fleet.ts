import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../node.mjs', import.meta.url))

/** One process of the service. */
export interface Node {
  readonly url: string
  readonly process: ChildProcess
  memory(): Promise<{ heap: number; handles: number }>
}

/** The processes of the service; `nodes` are those that run. */
export interface Fleet {
  readonly nodes: Node[]
  start(): Promise<Node>
  /** kill -9. */
  kill(node: Node): void
  stop(): Promise<void>
}

/** Starts processes on one store. */
export async function startFleet(args: readonly string[], count: number, env: Record<string, string> = {}): Promise<Fleet> {
  const nodes: Node[] = []
  const start = async (): Promise<Node> => {
    const child = fork(PROGRAM, [...args], { execArgv: ['--expose-gc'], env: { ...process.env, ...env } })
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    const memory = async () => {
      child.send('memory')
      return ((await once(child, 'message')) as [{ heap: number; handles: number }])[0]
    }
    const node = { url, process: child, memory }
    nodes.push(node)
    return node
  }
  const kill = (node: Node): void => {
    nodes.splice(nodes.indexOf(node), 1)
    node.process.kill('SIGKILL')
  }
  await Promise.all(Array.from({ length: count }, start))
  return {
    nodes,
    start,
    kill,
    async stop() {
      for (const node of [...nodes]) kill(node)
    },
  }
}
