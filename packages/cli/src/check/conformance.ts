import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { CliError } from '../cli-error.ts'

const SUITE = '@modelcontextprotocol/conformance'
/** The suite fails on older versions with an unhelpful error. */
const MIN_NODE_VERSION = 22

/**
 * Runs the official conformance suite, which must be installed in the current directory, against a server. Its output goes to stderr.
 * Returns whether the server passed.
 */
export async function runConformance(url: URL, signal: AbortSignal): Promise<boolean> {
  const main = findSuite()
  if (Number.parseInt(process.versions.node, 10) < MIN_NODE_VERSION)
    throw new CliError('usage', `the conformance suite needs Node ${MIN_NODE_VERSION} or newer, this is ${process.versions.node}`)
  const child = spawn(process.execPath, [main, 'server', '--url', url.href], { stdio: ['ignore', 2, 2], signal })
  return new Promise((resolvePassed, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolvePassed(code === 0))
  })
}

function findSuite(): string {
  const require = createRequire(resolve('package.json'))
  try {
    const manifest = require.resolve(`${SUITE}/package.json`)
    const { bin } = require(manifest) as { bin: string | { readonly [name: string]: string } }
    const path = typeof bin === 'string' ? bin : Object.values(bin)[0]
    return join(dirname(manifest), path ?? '')
  } catch (error) {
    throw new CliError('usage', 'the conformance suite is not installed in this directory', {
      hint: `run npm install --save-dev ${SUITE}`,
      cause: error,
    })
  }
}
