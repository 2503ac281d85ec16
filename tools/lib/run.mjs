import { spawn, spawnSync } from 'node:child_process'
import { ROOT } from './paths.mjs'

/** Runs a command and waits for it. `quiet` collects its output in `output`; otherwise the output is passed through. */
export function run(command, args, { cwd = ROOT, quiet = false, stdio, env } = {}) {
  const done = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: stdio ?? (quiet ? 'pipe' : 'inherit'),
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, ...env },
  })
  if (done.error) throw done.error
  return {
    ok: done.status === 0,
    status: done.status ?? 1,
    stdout: done.stdout ?? '',
    output: (done.stdout ?? '') + (done.stderr ?? ''),
  }
}

/** Runs a script with this Node. */
export const runNode = (args, options) => run(process.execPath, args, options)

/** Runs npm, the one that started this process if there is one. Its output goes to stderr. */
export function runNpm(args, options = {}) {
  const stdio = options.quiet ? 'pipe' : ['ignore', process.stderr, process.stderr]
  const { npm_execpath: npm } = process.env
  if (npm?.endsWith('.js')) return runNode([npm, ...args], { stdio, ...options })
  if (process.platform === 'win32') return run('cmd', ['/c', 'npm', ...args], { stdio, ...options })
  return run('npm', args, { stdio, ...options })
}

/** Runs another Node process in place of this one: same streams, signals and exit code. */
export function becomeNode(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)))
}
