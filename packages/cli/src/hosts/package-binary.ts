import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { isObject } from 'portcall/jsonrpc'
import { readVariable } from '../../../util/src/find-script.ts'
import { listAncestors, toAbsolute } from './absolute-paths.ts'
import { readManifest } from './package-manifest.ts'

/** A command line that starts a binary of a package. */
export interface PackageBinary {
  /** The name of the binary. */
  readonly name: string
  /** How to start the binary from any directory. */
  readonly start: readonly string[]
  /** The arguments of the binary. */
  readonly args: readonly string[]
}

/** The programs that start a binary of `node_modules` if there is one, with the words that follow their names. */
const RUNNERS: { readonly [name: string]: readonly string[] } = { npx: [], bunx: [], npm: ['exec', 'x'], bun: ['x'] }
/** Options of these programs that have no value and do not choose another package. */
const RUNNER_OPTIONS = ['--', '-y', '--yes', '--no', '--no-install', '-q', '--quiet', '--offline', '--prefer-offline', '--bun']
const BIN = join('node_modules', '.bin')

/**
 * Recognizes a command line that starts a binary of a package: with `npx`, or with the name alone, because npm adds `node_modules/.bin` to the
 * `PATH` of what it starts. A binary of `node_modules` is started by its path, because another directory does not have it; a package with a version
 * and one that is not installed as before. Returns `undefined` for other programs.
 */
export function findBinary(command: string, args: readonly string[], directory: string): PackageBinary | undefined {
  const isRunner = Object.hasOwn(RUNNERS, command)
  const at = isRunner ? findPackage(command, args) : isOnPath(command) ? undefined : -1
  if (at === undefined) return undefined
  const name = args[at] ?? command
  const file = findFile(name, directory)
  if (!isRunner && file === undefined) return undefined
  const others = args.slice(at + 1)
  return {
    name: name.replace(/(?<=.)@.*/s, ''),
    start:
      file === undefined
        ? [command, ...args.slice(0, at), name.startsWith('.') ? toAbsolute(name, directory) : name]
        : startOf(file),
    // npm removes the dashes that end its own options.
    args: file !== undefined && command === 'npm' && others[0] === '--' ? others.slice(1) : others,
  }
}

/** Reports whether `node_modules` has a binary. */
export function hasLocalBinary(name: string, directory: string): boolean {
  return findFile(name, directory) !== undefined
}

/** Returns the index of the package that a program starts; `undefined` if it does something else, or an option chooses another package. */
function findPackage(runner: string, args: readonly string[]): number | undefined {
  const verbs = RUNNERS[runner] ?? []
  const start = verbs.length > 0 ? 1 : 0
  if (start === 1 && !verbs.includes(args[0] ?? '')) return undefined
  const at = args.findIndex((word, index) => index >= start && !RUNNER_OPTIONS.includes(word))
  return at === -1 || args[at]?.startsWith('-') ? undefined : at
}

/** Reports whether a program is found without `node_modules`. A path is no name of a binary. */
function isOnPath(command: string): boolean {
  if (/[\\/]/.test(command)) return true
  const folders = (readVariable(process.env, 'PATH') ?? '').split(delimiter)
  const names = [command, `${command}.exe`, `${command}.cmd`]
  return folders.some(
    (folder) => !/node_modules[\\/]\.bin[\\/]?$/.test(folder) && names.some((name) => existsSync(join(folder, name))),
  )
}

function findFile(name: string, directory: string): string | undefined {
  if (/.@|[\\:]|^\./.test(name)) return undefined
  for (const folder of listAncestors(directory)) {
    const link = join(folder, BIN, name)
    const file = existsSync(link) ? targetOf(link) : mainBinaryOf(join(folder, 'node_modules', name))
    if (file !== undefined) return file
  }
  return undefined
}

/** Returns the file that npm has linked, or that is started by the script that pnpm, and on Windows npm, have written. */
function targetOf(link: string): string {
  const folder = join(link, '..')
  try {
    return resolve(folder, readlinkSync(link))
  } catch {
    const [, path] = /"\$basedir\/([^"]+)" +"\$@"/.exec(readFileSync(link, 'latin1')) ?? []
    return path === undefined ? link : resolve(folder, path)
  }
}

/** Returns the binary of a package that `npx` starts by the name of the package: its only one, or the one of this name. */
function mainBinaryOf(folder: string): string | undefined {
  const { name, bin } = readManifest(folder)
  const files = isObject(bin) ? bin : {}
  const [only, ...others] = Object.values(files)
  const path = typeof bin === 'string' ? bin : others.length === 0 ? only : files[String(name).split('/').at(-1) ?? '']
  return typeof path === 'string' ? resolve(folder, path) : undefined
}

function startOf(file: string): readonly string[] {
  const [firstLine = ''] = readFileSync(file, 'latin1').split('\n', 1)
  const isScript = firstLine.startsWith('#!') ? /[\\/ ]node\s*$/.test(firstLine) : /\.[cm]?js$/.test(file)
  return isScript ? ['node', file] : [file]
}
