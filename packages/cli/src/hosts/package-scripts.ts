import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject } from 'portcall/jsonrpc'
import { type CliError, usageError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import { listAncestors, toAbsolute } from './absolute-paths.ts'
import { hasLocalBinary } from './package-binary.ts'
import { readManifest } from './package-manifest.ts'

/** A program that runs the scripts or the code of the project in its directory. */
interface ProjectRunner {
  /** The option for another directory: its names, the one to write first. */
  readonly options: readonly [string, ...string[]]
  /** True if its value is a part of the same word. */
  readonly isJoined?: true
  /** The words that run something of the project. */
  readonly verbs: readonly string[]
  /** True if the option follows this word. */
  readonly isAfterVerb?: true
  /** The files that mark the directory of a project. Default: the program finds the project itself. */
  readonly manifests?: readonly string[]
  /** True if the name of a script is enough. */
  readonly hasShortForm?: true
}

const NODE_VERBS = ['run', 'run-script', 'start', 'test']
const MANIFESTS = ['package.json']

const RUNNERS: { readonly [name: string]: ProjectRunner } = {
  npm: { options: ['--prefix', '-C'], verbs: NODE_VERBS, manifests: MANIFESTS },
  pnpm: { options: ['--dir', '-C'], verbs: [...NODE_VERBS, 'exec'], manifests: MANIFESTS, hasShortForm: true },
  yarn: { options: ['--cwd'], verbs: [...NODE_VERBS, 'exec'], manifests: MANIFESTS, hasShortForm: true },
  bun: { options: ['--cwd'], isJoined: true, verbs: ['run'], manifests: MANIFESTS, hasShortForm: true },
  deno: { options: ['--cwd'], verbs: ['task'], isAfterVerb: true, manifests: ['deno.json', 'deno.jsonc', ...MANIFESTS] },
  uv: { options: ['--directory', '--project'], verbs: ['run'] },
  go: { options: ['-C'], verbs: ['run'] },
}
/** Options that choose another package of the project. */
const WORKSPACE = /^(?:-w|-F|-r|--workspaces?|--filter|--recursive)(?:=|$)/

/** Where a program is started, and what happens to one that cannot work. */
export interface ProgramContext {
  readonly directory: string
  /** Throws the error, unless the user insists. */
  readonly refuse: (error: CliError) => void
}

/**
 * Adds the directory to the arguments of a program that runs a script of the project: `npm --prefix DIRECTORY run NAME`. Returns `undefined` for
 * all other programs.
 */
export function addProjectDirectory(name: string, args: readonly string[], context: ProgramContext): string[] | undefined {
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined
  const at = runner ? findVerb(runner, args, context.directory) : -1
  if (!runner || at === -1) return undefined
  const absolute = args.map((word, index) => resolveOption(runner, [args[index - 1] ?? '', word], context.directory))
  if (args.some((word) => runner.options.some((option) => word === option || word.startsWith(`${option}=`)))) return absolute
  const directory = runner.manifests ? findProject(runner.manifests, context.directory) : context.directory
  if (directory === undefined) {
    context.refuse(usageError(`there is no ${runner.manifests?.[0]} in ${context.directory}, which ${name} needs`))
    return absolute
  }
  if (runner.manifests === MANIFESTS) checkScript(args.slice(at), directory, context)
  const [option] = runner.options
  absolute.splice(runner.isAfterVerb ? at + 1 : 0, 0, ...(runner.isJoined ? [`${option}=${directory}`] : [option, directory]))
  return absolute
}

/** Returns the index of the word that runs something of the project; -1 if there is none, or if it runs a file. */
function findVerb({ verbs, hasShortForm, isJoined }: ProjectRunner, args: readonly string[], directory: string): number {
  const at = args.findIndex((word) => word === '--' || verbs.includes(word))
  const first = args.findIndex((word) => !word.startsWith('-'))
  const [verb = '', script = ''] = args.slice(at).filter((word, index) => index === 0 || !word.startsWith('-'))
  // Of these programs, only Bun runs files too.
  if (verbs.includes(verb) && at !== -1) return isJoined && /[./\\]/.test(script) ? -1 : at
  return hasShortForm && Object.hasOwn(scriptsOf(findProject(MANIFESTS, directory)), args[first] ?? '') ? first : -1
}

function findProject(manifests: readonly string[], directory: string): string | undefined {
  return listAncestors(directory).find((folder) => manifests.some((file) => existsSync(join(folder, file))))
}

/** Resolves the value of the option for the directory, and any other path. */
function resolveOption({ options }: ProjectRunner, [before, word]: readonly [string, string], directory: string): string {
  return options.includes(before) ? resolve(directory, word) : toAbsolute(word, directory)
}

/** Refuses a script that the project does not have. */
function checkScript([verb, ...others]: readonly string[], directory: string, { refuse }: ProgramContext): void {
  const name = others.find((word) => !word.startsWith('-'))
  if ((verb !== 'run' && verb !== 'run-script') || name === undefined || others.some((word) => WORKSPACE.test(word))) return
  const names = Object.keys(scriptsOf(directory))
  if (names.includes(name) || hasLocalBinary(name, directory)) return
  refuse(usageError(`${join(directory, 'package.json')} has no script ${name}`, didYouMean(name, names)))
}

function scriptsOf(directory: string | undefined): object {
  const { scripts } = directory === undefined ? {} : readManifest(directory)
  return isObject(scripts) ? scripts : {}
}
