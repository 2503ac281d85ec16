import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { start, untilExit, untilOutput } from './portcall.ts'

/** A directory with a configuration, and the environment for the command. */
export interface Workspace {
  readonly dir: string
  readonly file: string
  readonly env: Record<string, string>
  write(config: object | string): Promise<void>
}

export async function createWorkspace(config: object | string): Promise<Workspace> {
  const dir = temporaryFolder()
  const file = join(dir, 'gateway.jsonc')
  const write = (next: object | string): Promise<void> => writeFile(file, typeof next === 'string' ? next : JSON.stringify(next))
  await write(config)
  return { dir, file, env: { PORTCALL_HOME: join(dir, 'home'), HOME: dir }, write }
}

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly child: ChildProcessWithoutNullStreams
  readonly url: string
  /** Returns its stderr so far. */
  log(): string
  readonly end: ReturnType<typeof untilExit>
}

/** Starts a gateway over HTTP until the test ends. */
export async function startGateway({ file, env, dir }: Workspace, ...args: string[]): Promise<GatewayProcess> {
  const child = start(['gateway', '--config', file, ...(args.includes('--port') ? [] : ['--port', '0']), ...args], {
    env,
    cwd: dir,
  })
  let log = ''
  child.stderr.on('data', (text) => {
    log += text
  })
  const end = untilExit(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await end
  })
  const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
  return { child, url, end, log: () => log }
}

/** Reports whether a process is running. One that has exited, but that its parent has not waited for, is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !(process.platform === 'linux' && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  } catch {
    return false
  }
}
