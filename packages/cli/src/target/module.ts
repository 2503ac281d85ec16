import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import type { Server } from 'portcall'
import { isObject } from 'portcall/jsonrpc'
import { CliError, usageError } from '../cli-error.ts'
import { importModule } from './import-module.ts'

const MODULE = /\.[cm]?[jt]sx?$/
const TYPESCRIPT = /\.[cm]?tsx?$/

/** Reports whether a location is an existing module. */
export function isModule(location: string): boolean {
  return MODULE.test(location) && existsSync(location)
}

/** Loads the server that a module exports as `default`, as `server` or under another name. @throws CliError when there is none. */
export async function loadServer(path: string): Promise<Server> {
  if (!existsSync(path)) throw usageError(`no such file: ${path}`)
  const exported: unknown = await importModule(path).catch((error: unknown) => {
    throw toCliError(path, error)
  })
  const { default: main, server, ...others } = isObject(exported) ? exported : {}
  const found = [main, server, ...Object.values(others)].find(isServer)
  if (found) return found
  throw noServer(path)
}

/** Creates the error for a module without a server. */
export function noServer(path: string, hint = 'write export const server = createServer(…)'): CliError {
  return new CliError('unreachable', `${path} exports no server`, { hint })
}

/** Returns the error for a file in TypeScript that Node does not run; `undefined` if the code is another one, or the file in JavaScript. */
export function notRunnable(path: string, code: string | undefined): CliError | undefined {
  if (!TYPESCRIPT.test(path) || code !== 'ERR_UNKNOWN_FILE_EXTENSION') return undefined
  return new CliError('unreachable', `this version of Node cannot run ${path}`, {
    hint: 'compile it, use Node 22.18 or newer, or set NODE_OPTIONS="--import tsx"',
  })
}

function isServer(value: unknown): value is Server {
  return isObject(value) && typeof value.exchange === 'function' && isObject(value.info)
}

function toCliError(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error
  const [message = '', ...frames] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n')
  const { code } = error as NodeJS.ErrnoException
  const notRun = notRunnable(path, code)
  if (notRun) return notRun
  const isParsing = error instanceof SyntaxError && frames.every((frame) => frame.includes('(node:internal/'))
  const details = isParsing ? placeOfSyntaxError(path) : frames
  const hint =
    code === 'EADDRINUSE' ? 'it serves itself and may be running already: pass its URL, or export the server instead' : undefined
  return new CliError('unreachable', `cannot load ${path}: ${message}`, { cause: error, details, hint })
}

const PARSE_TIMEOUT_MS = 10_000

/**
 * Returns the file and the line of a syntax error, with the text of the line. Node tells them only when it ends with the error, so another
 * process loads the module. Nothing of the module runs there, because what is imported first ends the process.
 */
function placeOfSyntaxError(path: string): string[] {
  const code = `import 'data:text/javascript,process.exit()'\nimport ${JSON.stringify(pathToFileURL(resolve(path)).href)}`
  const args = [...process.execArgv, '--input-type=module', '--eval', code]
  const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PARSE_TIMEOUT_MS })
  const [place = ''] = stderr.split('\n\n')
  return place.split('\n').map((line) => `    ${line}`)
}
