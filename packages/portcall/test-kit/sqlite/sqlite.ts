import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll } from 'vitest'

const NODE_MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

/** Creates a temporary folder for the tests of one file. `newFile` returns a new path in it. */
export function useFolder(): { newFile(): string; readonly path: string } {
  let path = ''
  let files = 0
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'portcall-sqlite-'))
  })
  afterAll(() => rm(path, { recursive: true, force: true }))
  return {
    get path() {
      return path
    },
    newFile: () => join(path, `${++files}.db`),
  }
}

/** A running `child.ts`. */
export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>
  /** Resolves to its next line, or to `undefined` when it has exited. */
  next(): Promise<string | undefined>
  /** Resolves to its remaining lines when it has exited. */
  remainingLines(): Promise<string[]>
  kill(): void
}

/** Bundles the program once. Returns a function that starts it. */
export function useChildren(folder: { readonly path: string }): (...args: string[]) => Child {
  const children: Child[] = []
  beforeAll(async () => {
    const input = fileURLToPath(new URL('./child.ts', import.meta.url))
    const bundle = await rolldown({ input, platform: 'node', tsconfig: false, logLevel: 'silent' })
    await bundle.write({ file: join(folder.path, 'child.mjs'), format: 'esm' })
    await bundle.close()
  })
  afterAll(() => {
    for (const child of children) child.kill()
  })
  return (...args) => {
    const process = spawn(globalThis.process.execPath, [join(folder.path, 'child.mjs'), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...globalThis.process.env, NODE_PATH: NODE_MODULES },
    })
    const output = createInterface({ input: process.stdout })[Symbol.asyncIterator]()
    const next = async (): Promise<string | undefined> => (await output.next()).value
    const remainingLines = async (): Promise<string[]> => {
      const lines: string[] = []
      for (let line = await next(); line !== undefined; line = await next()) lines.push(line)
      return lines
    }
    const child: Child = { process, next, remainingLines, kill: () => process.kill('SIGKILL') }
    children.push(child)
    return child
  }
}
