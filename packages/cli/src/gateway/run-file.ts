import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '../../../util/src/is-running.ts'
import { portcallHome } from '../login/stored-login.ts'

/** How to reach the admin endpoint of a running gateway. Only its user can read the file. */
export interface RunFile {
  readonly pid: number
  readonly port: number
  readonly token: string
  /** The files of the configuration. */
  readonly files: readonly string[]
}

const TOKEN_BYTES = 32

export function createAdminToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

function runDir(): string {
  return join(portcallHome(), 'gateways')
}

/** Writes the file of this process. Returns its path. */
export function writeRunFile(run: Omit<RunFile, 'pid'>): string {
  mkdirSync(runDir(), { recursive: true, mode: 0o700 })
  const path = join(runDir(), `${process.pid}.json`)
  rmSync(path, { force: true })
  writeFileSync(path, JSON.stringify({ pid: process.pid, ...run }), { mode: 0o600, flag: 'wx' })
  process.once('exit', () => rmSync(path, { force: true }))
  return path
}

/** Returns the running gateways of this user, and deletes the files of those that were killed. */
export function readRunFiles(): RunFile[] {
  return listFiles().flatMap((path) => {
    try {
      const run = JSON.parse(readFileSync(path, 'utf8')) as RunFile
      if (isRunning(run.pid)) return [run]
      rmSync(path, { force: true })
    } catch {}
    return []
  })
}

function listFiles(): string[] {
  try {
    return readdirSync(runDir()).map((name) => join(runDir(), name))
  } catch {
    return []
  }
}
