import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { Stop } from '../stop.ts'

const SUITE = '@modelcontextprotocol/conformance'
/** The suite imports what older ones do not have, and does not say so. */
const OLDEST_NODE = 22

/** Runs the official suite against an endpoint, from where it is installed in this folder. Its words go to stderr; tells whether it passed. */
export async function runConformance(url: URL, signal: AbortSignal): Promise<boolean> {
  const main = findSuite()
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE)
    throw new Stop('usage', `the official conformance suite needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node}`)
  const child = spawn(process.execPath, [main, 'server', '--url', url.href], { stdio: ['ignore', 2, 2], signal })
  return new Promise((done, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => done(code === 0))
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
    throw new Stop('usage', 'the official conformance suite is not installed here', {
      hint: `npm install --save-dev ${SUITE}`,
      cause: error,
    })
  }
}
