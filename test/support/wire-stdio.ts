import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { compileProgram } from './compile.ts'
import type { ServerFactory } from './open-driver.ts'
import type { Receive, Wire } from './wire.ts'
import { receiveAll } from './wire-memory.ts'

/** Starts the program of a server and opens a wire over its stdin and stdout. */
export async function stdioWire({ program, args = [], env }: Omit<ServerFactory, 'create'>, receive: Receive): Promise<Wire> {
  const child = spawn(process.execPath, [await compileProgram(program, { startsOften: true }), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  createInterface({ input: child.stdout }).on('line', (line) => receiveAll(JSON.parse(line), receive))
  const exited = once(child, 'exit')
  return {
    async send(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`)
      return undefined
    },
    async close() {
      child.stdin.end()
      const deadline = setTimeout(() => child.kill('SIGKILL'), 60_000)
      const [code, signal] = await exited
      clearTimeout(deadline)
      if (code !== 0) throw new Error(`The server exited with ${code ?? signal}\n${stderr}`)
    },
  }
}
