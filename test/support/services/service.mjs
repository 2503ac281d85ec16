/**
 * Runs a third-party server program for a test, on a free loopback port with a temporary folder. A guard process stops the program and
 * removes the folder, however this process ends.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until its stdin closes, then stops the program whose pid is in the folder (SIGTERM, then SIGKILL) and removes the folder. */
const GUARD = `cat >/dev/null
read -r pid <"$1/pid" && {
  pkill -CONT -P "$pid"; kill -CONT "$pid"; kill -INT "$pid"
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do kill -0 "$pid" || break; sleep 0.1; done
  pkill -KILL -P "$pid"; kill -KILL "$pid"
}
umount "$1" 2>/dev/null
rm -rf "$1"`

const DEADLINE_MS = 60_000

/** True if services can have a separate disk on this machine. */
export const hasDisks = process.platform === 'linux' && process.getuid?.() === 0

/**
 * Creates the folder of a service and the guard that removes it. With `diskMb` the folder is a separate disk that can be filled.
 *
 * @param {string} name
 * @param {number} [diskMb]
 */
export function createHome(name, diskMb) {
  const folder = mkdtempSync(join(tmpdir(), `portcall-${name}-`))
  if (diskMb) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=700`, 'tmpfs', folder])
  const guard = spawn('sh', ['-c', GUARD, 'guard', folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard.unref()
  guard.stdin.unref?.()
  const leave = async () => {
    if (guard.exitCode !== null) return
    const exited = once(guard, 'exit')
    guard.ref()
    guard.stdin.end()
    await exited
  }
  return { folder, leave }
}

async function until(condition, what) {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} within ${DEADLINE_MS / 1000} s`)
    await sleep(20)
  }
}

/** Returns the child processes of a process. */
function childrenOf(pid) {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child)
}

function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * Runs a program in a folder. `spawnOptions` may set another user. `isReady` reports whether the process with a pid responds.
 *
 * @param {{ name: string, home: { folder: string, leave(): Promise<void> }, command: string, args: string[],
 *   spawnOptions?: import('node:child_process').SpawnOptions, isReady(pid: number): boolean | Promise<boolean> }} program
 */
export async function runService({ name, home, command, args, spawnOptions, isReady }) {
  let child
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const processes = () => [child.pid, ...childrenOf(child.pid)]
  const all = (signal) => {
    for (const pid of processes()) send(pid, signal)
  }

  const start = async () => {
    child = spawn(command, args, { detached: true, stdio: 'ignore', ...spawnOptions })
    child.unref()
    writeFileSync(join(home.folder, 'pid'), `${child.pid}\n`)
    await until(() => {
      if (!isRunning()) throw new Error(`${name} exited at once: ${command} ${args.join(' ')}`)
      return isReady(child.pid)
    }, `${name} does not respond`)
  }
  const end = async (signal) => {
    if (!isRunning()) return
    const members = processes()
    const exited = once(child, 'exit')
    child.ref()
    for (const pid of signal === 'SIGKILL' ? members : [child.pid]) send(pid, signal)
    await exited
    await until(() => !members.some(isAlive), `${name} does not end`)
  }

  const filler = join(home.folder, 'filler')

  await start()
  return {
    /** Fills its disk. */
    fillDisk: () => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], { stdio: 'ignore' }),
    freeDisk: () => rmSync(filler, { force: true }),
    /** Starts it again with the same folder and port. */
    start,
    /** Kills all its processes with SIGKILL. */
    kill: () => end('SIGKILL'),
    /** Stops it with SIGINT and starts it again. */
    async restart() {
      await end('SIGINT')
      await start()
    },
    /** Suspends all its processes with SIGSTOP; their connections stay open. */
    pause: () => all('SIGSTOP'),
    resume: () => all('SIGCONT'),
    /** Stops it and removes its folder. */
    stop: () => home.leave(),
  }
}
