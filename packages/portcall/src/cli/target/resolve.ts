import type { TargetWords } from '../command.ts'
import { guardStdout } from '../io.ts'
import { misused } from '../stop.ts'
import type { Configured } from './config.ts'

/** What a program is started with besides its command line. */
export interface ProgramOptions {
  readonly env: readonly string[]
  readonly cwd: string | undefined
}

const NOTHING: ProgramOptions = { env: [], cwd: undefined }

/** Finds out what the words of a command line name: a program, a URL, a module, or a server of a configuration. @throws Stop */
export async function resolveTarget(words: TargetWords, options: ProgramOptions = NOTHING): Promise<Configured> {
  if ('program' in words) return { target: commandOf(words.program, options) }
  const { word } = words
  if (/^https?:\/\//i.test(word)) {
    if (!URL.canParse(word)) throw misused(`${word} is no URL`)
    return { target: new URL(word) }
  }
  const { splitConfig, readConfigured } = await import('./config.ts')
  const config = splitConfig(word)
  if (config) return readConfigured(config.path, config.name)
  const { isModule, loadServer } = await import('./module.ts')
  if (isModule(word)) {
    guardStdout()
    return { target: await loadServer(word) }
  }
  throw misused(`${JSON.stringify(word)} is no server`, hintFor(word))
}

function hintFor(word: string): string {
  if (/^[\w.-]+(:\d+)?(\/|$)/.test(word) && /[:.]/.test(word) && !/\.[cm]?[jt]sx?$|\.jsonc?$/.test(word))
    return `a URL begins with https:// or http://`
  if (/\.[cm]?[jt]sx?$|\.jsonc?(:|$)/.test(word)) return 'there is no such file'
  return 'give a URL, a module, FILE:NAME of a configuration, or a program after --'
}

function commandOf([command = '', ...args]: readonly string[], { env, cwd }: ProgramOptions): Configured['target'] {
  return { command, args, env: readEnv(env), ...(cwd !== undefined && { cwd }) }
}

/** `NAME=VALUE`, or `NAME` for the value that it has here. */
export function readEnv(given: readonly string[]): Record<string, string> {
  const entries = given.map((one) => {
    const at = one.indexOf('=')
    const name = at === -1 ? one : one.slice(0, at)
    const value = at === -1 ? process.env[name] : one.slice(at + 1)
    if (value === undefined) throw misused(`the variable ${name} is not set here`, `--env ${name}=VALUE`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}
