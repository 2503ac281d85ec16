import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'

// Not in node_modules, which `npm ci` deletes.
const LOCKS = join(ROOT, 'results', 'locks')
const PAUSE_MS = 200

const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Creates the file that says which process holds a lock. Returns false if another process holds it. */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

/** Removes a lock whose process has ended without releasing it. */
function removeIfAbandoned(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    if (pid > 0 && !isRunning(pid)) rmSync(file, { force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

/** Waits until no other process of this checkout holds the lock, and takes it. Returns the function that releases it. */
export function acquireLock(name) {
  mkdirSync(LOCKS, { recursive: true })
  const file = join(LOCKS, name)
  while (!take(file)) {
    removeIfAbandoned(file)
    pause()
  }
  return () => rmSync(file, { force: true })
}
