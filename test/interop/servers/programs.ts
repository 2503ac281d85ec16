import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** How to run a server, or what is missing on this machine. */
export type Program = { command: string; args: string[] } | { missing: string }

/** A program that can be identified among all running processes. */
export interface Marked {
  readonly command: string
  readonly args: string[]
  readonly mark: string
}

export function mark(program: Program, ...args: string[]): Marked {
  if ('missing' in program) throw new Error(program.missing)
  const name = `mark-${randomUUID()}`
  return { command: program.command, args: [...program.args, ...args, name], mark: name }
}

/** Returns the running processes with a mark. */
export function running(name: string): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 24 }).split('\n')
  return lines.filter((line) => line.includes(name)).map((line) => Number.parseInt(line, 10))
}

/** A listening server. */
export interface Listening {
  readonly origin: string
  readonly port: number
  kill(): Promise<void>
}

/** Starts a server that prints its address. */
export async function start(program: Program, port = 0): Promise<Listening> {
  const { command, args } = mark(program, '--port', String(port))
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('http://')) continue
    child.stdout.resume()
    return { origin: line, port: Number(new URL(line).port), kill: () => kill(child) }
  }
  throw new Error(`${command} ended before it listened`)
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
