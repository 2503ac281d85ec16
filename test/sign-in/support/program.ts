import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { vi } from 'vitest'

/** A program that listens on this machine. */
export interface Program {
  /** Its output so far. */
  log(): string
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 300_000

/** Starts a program in a process group of its own, and waits until a URL answers with 200. */
export async function startProgram(
  command: string,
  args: readonly string[],
  { readyUrl, ...options }: SpawnOptions & { readonly readyUrl: string },
): Promise<Program> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let log = ''
  const append = (text: unknown): void => {
    log = (log + String(text)).slice(-20_000)
  }
  child.stdout?.on('data', append)
  child.stderr?.on('data', append)
  child.on('error', append)
  const stop = (): Promise<void> => stopGroup(child)
  try {
    await vi.waitFor(
      async () => {
        if (child.exitCode !== null || child.pid === undefined) return
        const response = await fetch(readyUrl, { signal: AbortSignal.timeout(10_000) })
        if (!response.ok) throw new Error(`${readyUrl} answers ${response.status}`)
      },
      { timeout: START_TIMEOUT_MS, interval: 200 },
    )
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${command} ended`)
  } catch (error) {
    await stop()
    throw new Error(`${command} did not start:\n${log}`, { cause: error })
  }
  return { log: () => log, stop }
}

/** Kills a process and all its children. */
async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
  await ended
}
