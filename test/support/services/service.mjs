/**
 * A server program of another make for a test: started on a free port of loopback, with a temporary folder. However this process
 * ends, a guard ends the program and removes the folder.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for its stdin to end, then ends the program whose id is in the folder, at first gently, and removes the folder. */
const GUARD = `cat >/dev/null
read -r pid <"$1/pid" && {
  pkill -CONT -P "$pid"; kill -CONT "$pid"; kill -INT "$pid"
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do kill -0 "$pid" || break; sleep 0.1; done
  pkill -KILL -P "$pid"; kill -KILL "$pid"
}
umount "$1" 2>/dev/null
rm -rf "$1"`

const DEADLINE_MS = 60_000

/** Tells whether services can have a disk of their own here. */
export const hasDisks = process.platform === 'linux' && process.getuid?.() === 0

/**
 * Makes the folder of a service, and who removes it in the end. With `diskMb` it is a disk of its own, which can be filled.
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
    const gone = once(guard, 'exit')
    guard.ref()
    guard.stdin.end()
    await gone
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

/** The processes that a process has started. */
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
 * Runs a program in a home. `spawnOptions` may name another user; `isReady` tells whether the process of an id answers.
 *
 * @param {{ name: string, home: { folder: string, leave(): Promise<void> }, command: string, args: string[],
 *   spawnOptions?: import('node:child_process').SpawnOptions, isReady(pid: number): boolean | Promise<boolean> }} program
 */
export async function runService({ name, home, command, args, spawnOptions, isReady }) {
  let child
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const family = () => [child.pid, ...childrenOf(child.pid)]
  const all = (signal) => {
    for (const pid of family()) send(pid, signal)
  }

  const start = async () => {
    child = spawn(command, args, { detached: true, stdio: 'ignore', ...spawnOptions })
    child.unref()
    writeFileSync(join(home.folder, 'pid'), `${child.pid}\n`)
    await until(() => {
      if (!isRunning()) throw new Error(`${name} ended at once: ${command} ${args.join(' ')}`)
      return isReady(child.pid)
    }, `${name} does not answer`)
  }
  const end = async (signal) => {
    if (!isRunning()) return
    const members = family()
    const gone = once(child, 'exit')
    child.ref()
    for (const pid of signal === 'SIGKILL' ? members : [child.pid]) send(pid, signal)
    await gone
    await until(() => !members.some(isAlive), `${name} does not end`)
  }

  const filler = join(home.folder, 'filler')

  await start()
  return {
    /** Leaves no space on its disk. */
    fillDisk: () => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], { stdio: 'ignore' }),
    freeDisk: () => rmSync(filler, { force: true }),
    /** Starts it again where it was. */
    start,
    /** Ends it at once, all its processes by SIGKILL. */
    kill: () => end('SIGKILL'),
    /** Ends it gently and starts it again. */
    async restart() {
      await end('SIGINT')
      await start()
    },
    /** Stops all its processes where they are, with their connections open. */
    pause: () => all('SIGSTOP'),
    resume: () => all('SIGCONT'),
    /** Ends it for good and removes its folder. */
    stop: () => home.leave(),
  }
}
