/** Checks of files that a host will run, for commands that do not run them: nothing of the files runs. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, parse, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CliError, usageError } from '../cli-error.ts'
import { noServer, notRunnable } from './module.ts'

/** A file that a host will run. */
export interface HostedFile {
  /** The absolute path. */
  readonly path: string
  /** The file as the user has written it. */
  readonly word: string
}

const LINK_TIMEOUT_MS = 10_000

/**
 * Checks that Node can load a file from any directory, with the variables of the host.
 *
 * @throws CliError if it cannot, because of the kind of the file, its syntax, or what it imports.
 */
export function checkLinks({ path, word }: HostedFile, node: string, variables: Readonly<Record<string, string>>): void {
  // Node resolves and parses everything that is imported before it runs the first module, which ends the process.
  const code = `import 'data:text/javascript,process.exit()'\nimport ${JSON.stringify(pathToFileURL(path).href)}`
  const { NODE_OPTIONS: _options, ...env } = process.env
  const { status, stderr } = spawnSync(node, ['--input-type=module', '--eval', code], {
    cwd: parse(path).root,
    encoding: 'utf8',
    env: { ...env, ...variables },
    timeout: LINK_TIMEOUT_MS,
  })
  if (status === 0 || status === null) return
  const [message = '', errorCode] = /^\w*Error(?: \[(\w+)\])?: .*/m.exec(stderr) ?? []
  throw notRunnable(word, errorCode) ?? new CliError('unreachable', `cannot load ${word}: ${message}`)
}

/** Checks a module for `portcall serve`. @throws CliError if it exports nothing. */
export function checkExports({ path, word }: HostedFile): void {
  if (!/\bexports?\b/.test(readFileSync(path, 'utf8')))
    throw noServer(word, `if it serves itself, write -- node ${word}; otherwise export the server`)
}

/** Checks a module that a program runs. @throws CliError if it only exports a server, so that the program ends at once. */
export function checkServes({ path, word }: HostedFile, program: string): void {
  const text = readFileSync(path, 'utf8')
  if (/\bcreateServer\b/.test(text) && /\bexport\b/.test(text) && !serves(path))
    throw usageError(
      `${word} only exports a server, so ${program} ends at once`,
      `write portcall install ${word} --name NAME --to HOST; --force adds the server anyway`,
    )
}

/** Words of what a program calls or imports to serve. The word server is none of them. */
const SERVING = /serve(?!rs?\b|r[A-Z])|listen|stdio|handler|exchange|connect|transport/i
const RELATIVE = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*['"](\.[^'"]+)['"]/g

/** Reports whether a file, or one that it imports by a relative path, has a word for serving. Uncertain cases do. */
function serves(path: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(path)) return false
  seen.add(path)
  if (!existsSync(path) || !statSync(path).isFile()) return true
  const text = readFileSync(path, 'utf8')
  if (SERVING.test(text)) return true
  return [...text.matchAll(RELATIVE)].some(([, name = '']) => serves(resolve(dirname(path), name), seen))
}
