import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A shell: commands run one after another, each in the working directory of the previous one. */
export interface Shell {
  readonly folder: string
  /** Runs commands until they exit, and returns their output. Throws when one fails. */
  run(commands: string): Promise<string>
  /** Runs commands that keep running, until they have printed a text. */
  start(commands: string, until: string): Promise<void>
  /** Stops the running commands. */
  stop(): Promise<void>
}

export function openShell(home: string): Shell {
  const place = join(home, '.place')
  const running: ChildProcess[] = []
  let folder = home

  const open = (commands: string): ChildProcess => {
    const { npm_config_loglevel: _, ...env } = process.env
    // A separate process group, so that the children of the shell stop with it.
    return spawn('sh', ['-ec', commands], { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env })
  }

  return {
    get folder() {
      return folder
    },
    async run(commands) {
      const child = open(`${commands}\npwd > '${place}'`)
      const printed = gather(child)
      const [code] = await once(child, 'close')
      if (code !== 0) throw new Error(`${commands}\nended with ${code}:\n${printed.stdout}${printed.stderr}`)
      if (existsSync(place)) folder = readFileSync(place, 'utf8').trim()
      rmSync(place, { force: true })
      return printed.stdout
    },
    async start(commands, until) {
      const child = open(commands)
      running.push(child)
      const printed = gather(child)
      const isThere = new Promise<void>((resolve) => child.stdout?.on('data', () => printed.stdout.includes(until) && resolve()))
      const isOver = once(child, 'close').then(() => {
        throw new Error(`${commands}\nended before it printed ${until}:\n${printed.stdout}${printed.stderr}`)
      })
      isOver.catch(() => {})
      await Promise.race([isThere, isOver])
    },
    async stop() {
      for (const child of running.splice(0)) {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
        const ended = once(child, 'close')
        process.kill(-child.pid, 'SIGTERM')
        await ended
      }
    },
  }
}

function gather(child: ChildProcess): { stdout: string; stderr: string } {
  const printed = { stdout: '', stderr: '' }
  child.stdout?.on('data', (data) => (printed.stdout += data))
  child.stderr?.on('data', (data) => (printed.stderr += data))
  return printed
}
