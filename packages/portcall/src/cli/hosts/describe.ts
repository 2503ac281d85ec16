import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TargetWords } from '../command.ts'
import { readHeaders } from '../grammar/headers.ts'
import { misused } from '../stop.ts'
import { readEnv, resolveTarget } from '../target/resolve.ts'
import type { Installed } from './hosts.ts'

/** Flags that say more about a server than its words. */
export interface DescribeFlags {
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly cwd: string | undefined
}

/** Makes an entry for configurations of what a command line names. Files are named whole, for the other program starts elsewhere. */
export async function describe(words: TargetWords, { header, env, cwd }: DescribeFlags): Promise<Installed> {
  if ('program' in words) {
    const [command = '', ...args] = words.program
    return {
      command: whole(command),
      args: args.map(whole),
      env: readEnv(env),
      cwd: cwd === undefined ? undefined : resolve(cwd),
    }
  }
  if (/\.[cm]?[jt]sx?$/.test(words.word) && existsSync(words.word)) {
    const main = fileURLToPath(new URL('main.js', import.meta.url))
    return { command: process.execPath, args: [main, 'serve', resolve(words.word), '--stdio'], env: readEnv(env) }
  }
  const { target, headers } = await resolveTarget(words, { env, cwd })
  if (target instanceof URL) return { url: target.href, headers: { ...headers, ...readHeaders(header) } }
  if (typeof target === 'object' && 'command' in target) {
    const { command, args = [], env: known = {}, cwd: folder } = target
    return { command, args, env: { ...known, ...readEnv(env) }, cwd: folder }
  }
  throw misused('this server cannot be installed')
}

/** A file of this folder by its whole path; all else as it is. */
function whole(word: string): string {
  return /[./\\]/.test(word) && !word.startsWith('-') && existsSync(word) ? resolve(word) : word
}
