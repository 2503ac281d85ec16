import { isObject } from '../../jsonrpc/message.ts'
import { ConfigError } from './errors.ts'

/** The values of variables. */
export interface ConfigVariables {
  /** Environment variables. Default: those of the process. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Values of `${input:id}`, for which some editors prompt the user. */
  readonly inputs: { readonly [id: string]: string | undefined }
  /**
   * The directory of the project: where relative paths start, where programs run that have no `cwd`, and the value of `${workspaceFolder}`.
   * Default: the working directory.
   */
  readonly directory?: string | undefined
  /**
   * Called with each value that comes from outside the text, such as an environment variable, and with the text that stands for it, such as
   * `${API_KEY}`. Use it to keep the values out of logs.
   */
  readonly onVariable?: ((value: string, written: string) => void) | undefined
}

/** The source of variables: their values, and how files are read. */
export interface VariableSource extends ConfigVariables {
  /** Returns the text of a file. @throws Error */
  readonly readFile: (path: string) => string
}

/** The references of the names of variables in one string. */
export interface ExpandOptions {
  /** Names the string in errors. */
  readonly field: string
  readonly source: VariableSource
  /** The variables that a program gets. `$NAME` in its arguments may refer to them, so it is left alone. */
  readonly ownEnv?: ReadonlySet<string> | undefined
}

/** An invalid field of an entry. */
export class FieldError extends Error {
  override readonly name = 'FieldError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/**
 * `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, `${file:path}`, `${workspaceFolder:name}`, `${{ secrets.NAME }}`, `{env:NAME}`,
 * `{file:path}`, `$env:NAME`, and `$NAME` in upper case at the start of a word. Other text is left alone.
 */
const VARIABLE = new RegExp(
  [
    /\$\{\{\s{0,8}(?:secrets|inputs|vars)\.(?<secret>\w[\w.-]*)\s{0,8}\}\}/,
    /\$\{(?<folder>workspaceFolder):[^{}]+\}/,
    /\$\{(?<editor>command|config):[^{}]+\}/,
    /\$\{(?:(?<kind>env|input):)?(?<name>[A-Za-z_/][\w.-]*)(?::-(?<fallback>[^{}]*))?\}/,
    /\$?\{file:(?<file>[^{}]+)\}/,
    /\{env:(?<braced>[A-Za-z_]\w*)\}/,
    /(?<![\w$])\$env:(?<prefixed>[A-Za-z_]\w*)/,
    /(?<![\w$])\$(?<bare>[A-Z_][A-Z0-9_]*)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

type Groups = { readonly [name: string]: string | undefined }

/**
 * Replaces variables with their values. Values are not expanded again. As in a shell, a default also replaces an empty value.
 *
 * @throws FieldError that names the field and the variable, when there is neither a value nor a default.
 */
export function expandVariables(text: string, options: ExpandOptions): string {
  return text.replace(VARIABLE, (match: string, ...rest: unknown[]) => resolveVariable(match, rest.at(-1) as Groups, options))
}

function resolveVariable(match: string, groups: Groups, { field, source, ownEnv }: ExpandOptions): string {
  const { kind, fallback, file, bare, editor } = groups
  if (editor !== undefined) return missing(field, `${match}, which only its editor can resolve`)
  const name = groups.name ?? groups.secret ?? groups.folder ?? groups.braced ?? groups.prefixed ?? bare ?? ''
  const found =
    file !== undefined ? readSecret(file, field, source) : kind === 'input' ? inputOf(name, source) : lookUp(source.env, name)
  if (found !== undefined && (found !== '' || fallback === undefined)) {
    source.onVariable?.(found, fallback === undefined ? match : `\${${name}}`)
    return found
  }
  const ofEditor = kind === 'input' ? undefined : editorVariable(name, source)
  const value = ofEditor || (fallback ?? ofEditor)
  if (value !== undefined) return value
  if (kind === 'input')
    return missing(field, `the input ${name}, for which only its editor can prompt. Set the variable ${inputVariable(name)}`)
  if (bare !== undefined && ownEnv?.has(bare)) return match
  return missing(field, `the variable ${name}, which is not set`)
}

/** Returns the value of an input: as passed, or that of a variable named after it. */
function inputOf(id: string, { inputs, env }: ConfigVariables): string | undefined {
  return lookUp(inputs, id) ?? lookUp(env, inputVariable(id))
}

/** Returns the name of the variable that stands for an input: `INPUT_API_KEY` for `api-key`. */
function inputVariable(id: string): string {
  return `INPUT_${id.toUpperCase().replaceAll(/\W/g, '_')}`
}

function missing(field: string, what: string): never {
  throw new FieldError(field, `${field} needs ${what}`)
}

function lookUp(values: { readonly [name: string]: string | undefined }, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Returns the value of a variable that editors define. */
function editorVariable(name: string, { env, directory }: ConfigVariables): string | undefined {
  if (name === 'userHome') return env.HOME ?? env.USERPROFILE
  if (PROJECT_VARIABLES.has(name)) return projectDirectoryOf({ directory })
  if (name === 'workspaceFolderBasename') return projectDirectoryOf({ directory }).split(/[\\/]/).at(-1)
  return name === 'pathSeparator' || name === '/' ? '/' : undefined
}

/** The directory of the project, as the editors and agents call it. */
const PROJECT_VARIABLES: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceRoot',
  'workspacePath',
  'workspace',
  'CLAUDE_PROJECT_DIR',
  'cwd',
])

/** Returns the content of a file without the line break at its end. */
function readSecret(path: string, field: string, { readFile }: VariableSource): string {
  try {
    return readFile(path.trim()).replace(/\r?\n$/, '')
  } catch {
    throw new FieldError(field, `${field} needs the file ${path.trim()}, which cannot be read`)
  }
}

/** Reads `NAME=value` lines, as in `.env` files. @throws FieldError if the file cannot be read. */
export function readEnvFile(path: string, { readFile, onVariable }: VariableSource): Record<string, string> {
  let text: string
  try {
    text = readFile(path)
  } catch {
    throw new FieldError('envFile', `envFile names the file ${path}, which cannot be read`)
  }
  const lines = text.split(/\r?\n/).map((line) => /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=(.*)$/s.exec(line))
  const entries = lines.flatMap((match) => (match ? [[match[1] ?? '', unquote((match[2] ?? '').trim())] as const] : []))
  for (const [name, value] of entries) onVariable?.(value, `\${${name}}`)
  return Object.fromEntries(entries)
}

function unquote(text: string): string {
  const [, quote, quoted] = /^(["'])(.*)\1$/.exec(text) ?? []
  if (quoted === undefined) return text.replace(/(?<!\s)\s+#.*$/s, '')
  return quote === '"' ? quoted.replaceAll('\\n', '\n').replaceAll('\\"', '"') : quoted
}

/** Returns the source of variables. The module that reads files is loaded only if the configuration names one. */
export async function createVariableSource(root: unknown, options: Partial<ConfigVariables>): Promise<VariableSource> {
  const { env = environment(), inputs = {}, directory, onVariable } = options
  const variables = { env, inputs: { ...defaultInputs(root), ...inputs }, directory, onVariable }
  if (!/"envFile"|\{file:/.test(JSON.stringify(root))) return { ...variables, readFile: noFiles }
  const { readConfiguredFile } = await import('./text-file.ts')
  return { ...variables, readFile: (path) => readConfiguredFile(path, directory) }
}

/** Returns the defaults of the inputs that a configuration of VS Code describes. */
function defaultInputs(root: unknown): Record<string, string> {
  const described = isObject(root) && Array.isArray(root.inputs) ? root.inputs : []
  return Object.fromEntries(
    described.flatMap((one: unknown) =>
      isObject(one) && typeof one.id === 'string' && typeof one.default === 'string' ? [[one.id, one.default]] : [],
    ),
  )
}

function noFiles(path: string): never {
  throw new ConfigError(`${path} cannot be read`)
}

interface Process {
  readonly env?: ConfigVariables['env']
  readonly cwd?: () => string
}

/** The process; empty on platforms that have none. */
function currentProcess(): Process {
  return (globalThis as { process?: Process }).process ?? {}
}

function environment(): ConfigVariables['env'] {
  return currentProcess().env ?? {}
}

/** Returns the directory of the project. */
export function projectDirectoryOf({ directory }: Pick<Partial<ConfigVariables>, 'directory'>): string {
  return directory ?? currentProcess().cwd?.() ?? '.'
}
