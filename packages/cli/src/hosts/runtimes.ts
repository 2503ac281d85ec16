import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CliError, usageError } from '../cli-error.ts'
import { toAbsolute } from './absolute-paths.ts'
import type { ProgramContext } from './package-scripts.ts'

/** The value of an option: any text, a file, or a module that is imported or required. After `end`, there is no script. */
type OptionValue = 'text' | 'file' | 'import' | 'require' | 'end'

/** A program that runs a file: the first argument that is neither an option nor a verb. */
interface Runtime {
  /** The options that have a value. */
  readonly options: { readonly [name: string]: OptionValue }
  /** The words that may stand before the file. */
  readonly verbs?: readonly string[]
  /** True if the file may be a folder, or a name without its extension. */
  readonly runsFolders?: true
}

const NODE: Runtime['options'] = {
  '-e': 'end',
  '--eval': 'end',
  '-p': 'end',
  '--print': 'end',
  '-r': 'require',
  '--require': 'require',
  '--import': 'import',
  '--loader': 'import',
  '--experimental-loader': 'import',
  '--env-file': 'file',
  '--env-file-if-exists': 'text',
  '-C': 'text',
  '--conditions': 'text',
  '--title': 'text',
  '--disable-warning': 'text',
  '--watch-path': 'text',
}
const DENO = { '-c': 'file', '--config': 'file', '--import-map': 'file', '--env-file': 'text', '--cwd': 'text' } as const
const PYTHON = { '-c': 'end', '-m': 'end', '-W': 'text', '-X': 'text' } as const
const UV = {
  '-m': 'end',
  '--module': 'end',
  '--with': 'text',
  '--python': 'text',
  '-p': 'text',
  '--directory': 'text',
  '--project': 'text',
} as const

const RUNTIMES: { readonly [name: string]: Runtime } = {
  node: { options: NODE, runsFolders: true },
  tsx: { options: { ...NODE, '--tsconfig': 'file' }, verbs: ['watch'], runsFolders: true },
  'ts-node': { options: { ...NODE, '-P': 'file', '--project': 'file' }, runsFolders: true },
  deno: { options: DENO, verbs: ['run'] },
  bun: { options: { ...NODE, '--preload': 'require', '-c': 'file', '--config': 'file', '--cwd': 'text' }, verbs: ['run'] },
  python: { options: PYTHON, runsFolders: true },
  uv: { options: UV, verbs: ['run', 'python', 'python3'] },
  portcall: { options: { '--port': 'text', '--host': 'text', '--path': 'text' }, verbs: ['serve'] },
}
/** Names of files, which are not the names of other things. */
const FILE = /^(?![a-z][a-z\d+.-]+:).*(?:[\\/]|\.(?:[cm]?[jt]sx?|py)$)/i
const URL_OR_BUILTIN = /^[a-z][a-z\d+.-]+:/i
const RESOLVE_TIMEOUT_MS = 10_000

/** The arguments of a program that can be started anywhere. */
export interface PortableArgs {
  readonly args: readonly string[]
  /** The file that it runs, and its index; absent if it runs something else. */
  readonly script?: { readonly file: string; readonly at: number }
}

/**
 * Resolves the file that a known runtime runs, and those that its options name; refuses files that do not exist. Arguments of the file, and those
 * of other programs, are resolved if they are existing paths.
 */
export function resolveArgs(name: string, args: readonly string[], context: ProgramContext): PortableArgs {
  const runtime = Object.hasOwn(RUNTIMES, name) ? RUNTIMES[name] : undefined
  const resolveAll = (words: readonly string[]): string[] => words.map((word) => toAbsolute(word, context.directory))
  if (!runtime || (name === 'portcall' && args[0] !== 'serve')) return { args: resolveAll(args) }
  const done: string[] = []
  for (let at = 0; at < args.length; ) {
    const option = readOption(runtime, args, at)
    if (option?.kind === 'end') return { args: [...done, ...resolveAll(args.slice(at))] }
    const word = args[at] ?? ''
    const isVerb = runtime.verbs?.includes(word) && !existsSync(resolve(context.directory, word))
    const file = option || isVerb ? undefined : findScript(runtime, word, context)
    if (file !== undefined) return { args: [...done, file, ...resolveAll(args.slice(at + 1))], script: { file, at } }
    done.push(...(option ? resolveOption(option, context) : [word]))
    at += option?.length ?? 1
  }
  return { args: done }
}

/** An option and its value, which are one word or two. */
interface OptionWords {
  readonly kind: OptionValue | undefined
  readonly name: string
  readonly value: string | undefined
  /** The number of words. */
  readonly length: number
}

function readOption({ options }: Runtime, args: readonly string[], at: number): OptionWords | undefined {
  const word = args[at] ?? ''
  if (!word.startsWith('-')) return undefined
  const [, name = word, inline] = /^(-[^=]+)=(.*)$/s.exec(word) ?? []
  const kind = Object.hasOwn(options, name) ? options[name] : undefined
  const hasNext = kind !== undefined && inline === undefined && at + 1 < args.length
  return { kind, name, value: hasNext ? args[at + 1] : inline, length: hasNext ? 2 : 1 }
}

function resolveOption({ kind = 'text', name, value, length }: OptionWords, context: ProgramContext): readonly string[] {
  if (value === undefined) return [name]
  const resolved = resolveValue(kind, value, context)
  return length === 2 ? [name, resolved] : [`${name}=${resolved}`]
}

/** Returns the absolute path of the file that a runtime runs; `undefined` for a word that names no file. */
function findScript({ runsFolders }: Runtime, word: string, { directory, refuse }: ProgramContext): string | undefined {
  const path = resolve(directory, word)
  if ((runsFolders || FILE.test(word)) && existsSync(path)) return path
  const file = runsFolders && resolveRequired(path, directory)
  if (file) return file
  if (!FILE.test(word)) return undefined
  refuse(noSuchFile(word, directory))
  return path
}

function resolveValue(kind: OptionValue, value: string, { directory, refuse }: ProgramContext): string {
  const path = resolve(directory, value)
  if (kind === 'text') return toAbsolute(value, directory)
  if (kind === 'file' || /^\.{0,2}[\\/]/.test(value)) {
    if (!existsSync(path)) refuse(noSuchFile(value, directory))
    return kind === 'import' ? pathToFileURL(path).href : path
  }
  if (URL_OR_BUILTIN.test(value)) return value
  const resolved = kind === 'import' ? resolveImported(value, directory) : resolveRequired(value, directory)
  if (resolved === undefined) refuse(usageError(`there is no package ${value} in ${directory}`, INSTALL_IT))
  return resolved ?? value
}

const INSTALL_IT = 'install it first; --force adds the server anyway'

export function noSuchFile(word: string, directory: string): CliError {
  const place = isAbsolute(word) ? '' : ` in ${directory}`
  return usageError(`no such file: ${word}${place}`, 'correct the path, or build it first; --force adds the server anyway')
}

/** Returns what Node requires by a name in a directory. */
function resolveRequired(name: string, directory: string): string | undefined {
  try {
    return createRequire(join(directory, '_')).resolve(name)
  } catch {
    return undefined
  }
}

/** Returns the URL that Node imports by a name in a directory. Nothing is imported. */
function resolveImported(name: string, directory: string): string | undefined {
  const code = `process.stdout.write(import.meta.resolve(${JSON.stringify(name)}))`
  const { NODE_OPTIONS: _options, ...env } = process.env
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: directory,
    encoding: 'utf8',
    env,
    timeout: RESOLVE_TIMEOUT_MS,
  })
  return status === 0 ? stdout : undefined
}
