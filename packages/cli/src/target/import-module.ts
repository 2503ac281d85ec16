/** Imports modules of users, which may do more than to export: serve, wait for ever, or end the process. */

import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { isReported, reportError } from '../report-error.ts'

const SLOW_MS = 5000
const LOAD_TIMEOUT_MS = 60_000

/**
 * Imports a module.
 *
 * @throws CliError if it reads stdin, as a server over stdio does, or does not finish. The error of the module.
 */
export async function importModule(path: string): Promise<unknown> {
  const loading = watchLoading(path)
  try {
    const imported: unknown = await Promise.race([import(pathToFileURL(resolve(path)).href), loading.failed])
    // A module may start to serve without waiting for it.
    await Promise.race([new Promise(setImmediate), loading.failed])
    return imported
  } finally {
    loading.end()
  }
}

/** Fails as soon as a module that is being loaded does what it must not do. */
function watchLoading(path: string): { readonly failed: Promise<never>; end(): void } {
  let failure: CliError | undefined
  let reject = (_error: CliError): void => {}
  const failed = new Promise<never>((_resolve, fail) => {
    reject = fail
  })
  failed.catch(() => {})
  const fail = (error: CliError): CliError => {
    failure ??= error
    reject(failure)
    return failure
  }
  /** Keeps the module from reading: what it would serve is not the command's stdin. */
  const onListener = (event: string | symbol): void => {
    if (event === 'data' || event === 'readable') throw fail(servesItself(path))
  }
  const onUnhandled = (reason: unknown): void => {
    if (reason !== failure) throw reason
  }
  const onEmpty = (): void => void fail(neverLoaded(path, 'waits for something that never happens'))
  const onExit = (code: number): void => {
    failure ??= endedProcess(path, code)
    if (isReported(failure)) return
    reportError(failure, process.argv.includes('--json'))
    process.exitCode = EXIT_CODES[failure.exitReason]
  }
  const slow = setTimeout(() => console.error(`Still loading ${path}: its top-level code has not finished …`), SLOW_MS).unref()
  const late = setTimeout(
    () => fail(neverLoaded(path, `has not finished within ${LOAD_TIMEOUT_MS / 1000} seconds`)),
    LOAD_TIMEOUT_MS,
  ).unref()
  process.stdin.on('newListener', onListener)
  process.on('unhandledRejection', onUnhandled).on('beforeExit', onEmpty).on('exit', onExit)
  return {
    failed,
    end() {
      clearTimeout(slow)
      clearTimeout(late)
      process.stdin.off('newListener', onListener)
      process.off('beforeExit', onEmpty)
      // A module that has failed may still end the process, before the command has reported the error.
      if (!failure) process.off('exit', onExit).off('unhandledRejection', onUnhandled)
    },
  }
}

const EXPORT = 'export the server instead of serving it'

function servesItself(path: string): CliError {
  const [, , command = '', ...args] = process.argv
  const program = `node ${path}`
  const others = args.some((arg) => arg !== path) ? ' …' : ''
  const instead = command === 'serve' ? `start it with ${program}` : `run portcall ${command}${others} -- ${program}`
  return usageError(`${path} serves itself over stdio`, `${instead}, or ${EXPORT}`)
}

function neverLoaded(path: string, reason: string): CliError {
  return new CliError('unreachable', `cannot load ${path}: its top-level code ${reason}`, {
    hint: 'see what it awaits; a module only creates and exports the server',
  })
}

function endedProcess(path: string, code: number): CliError {
  return new CliError('unreachable', `${path} ended the process with exit code ${code} while it was loaded`, {
    hint: `if it serves itself, start it as a program: -- node ${path}; otherwise ${EXPORT}`,
  })
}
