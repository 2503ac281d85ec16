import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { clientProgram } from '../clients.mjs'
import { programOf } from '../subjects.mjs'
import { onLoadCore, onServerCore } from './cores.mjs'
import { startServer } from './server.mjs'

/** Starts the peer of a client for each transport: the baseline, on the core that the client leaves free. */
const OTHER_SIDE = {
  async http(mode) {
    const server = await startServer('baseline', { mode, tools: 1 }, { onCore: onLoadCore })
    return { args: ['--url', `http://127.0.0.1:${server.port}/mcp`], close: () => server.close() }
  },
  async stdio(mode) {
    const { command, args } = onLoadCore(programOf('baseline', 'stdio', { mode, tools: 1 }))
    return { args: ['--program', JSON.stringify([command, ...args])], close: async () => {} }
  },
  memory: async () => ({ args: [], close: async () => {} }),
}

async function answerOf(child) {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the client ended with ${code}`)))
  const [message] = await Promise.race([once(child, 'message'), ended])
  if (message.error) throw new Error(message.error)
  return message
}

/**
 * Starts a client of a subject, and the baseline that it calls.
 *
 * @returns {Promise<{ run(job: { concurrency: number, warmMs: number, ms: number }): Promise<object>, close(): Promise<void> }>}
 */
export async function startClient(name, transport, mode) {
  const otherSide = await OTHER_SIDE[transport](mode)
  const program = { command: process.execPath, args: [clientProgram(name, transport), '--transport', transport, '--mode', mode] }
  const { command, args } = onServerCore(program)
  const child = spawn(command, [...args, ...otherSide.args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await answerOf(child)
  return {
    async run(job) {
      child.send(job)
      return (await answerOf(child)).sample
    },
    async close() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
      await otherSide.close()
    },
  }
}
