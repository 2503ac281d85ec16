/** Prepares peers on this machine. Each function returns the reason when it fails, and does nothing when the peer is installed. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { install } from '../tools/lib/install.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const BUILD_MS = 540_000

/** Runs a command in a folder of the benchmark. Returns an error message when it fails. */
function attempt(folder, command, ...args) {
  const env = { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' }
  const cwd = `${HERE}${folder}`
  const { status, error, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: BUILD_MS })
  if (status === 0) return undefined
  if (error?.code === 'ENOENT') return `there is no ${command} here`
  return `${command} ${args.join(' ')}: ${error?.message ?? stderr.trim().split('\n').slice(-3).join(' ')}`
}

/** Reads a package-lock.json in this folder or in one below. */
async function installed(folder = '') {
  try {
    install(`${HERE}${folder}`)
    return undefined
  } catch (error) {
    return error.message
  }
}

/** Installs the peers from npm. */
export const installPeers = () => installed()

/** Installs third-party CLIs, and a Node version that runs them. */
export const installCommands = () => installed('commands')

/** Installs third-party gateways. */
export const installGateways = () => installed('gateways')

/** Installs the SDK of OpenTelemetry. */
export const installTelemetry = () => installed('telemetry')

/** Installs the library of views of ext-apps, and Playwright. */
export const installViews = () => installed('views')

export const prepareGo = async () =>
  attempt('servers/go', 'go', 'build', '-mod=readonly', '-buildvcs=false', '-o', '../../build/go', '.')

export const prepareRust = async () =>
  attempt('servers/rust', 'cargo', 'build', '--quiet', '--release', '--locked', '--target-dir', '../../build/rust')

/** Installs the official Python SDK in a virtual environment. */
export async function preparePython() {
  const requirements = readFileSync(`${HERE}servers/python/requirements.txt`, 'utf8')
  const stamp = `${HERE}.venv/requirements.txt`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return undefined
  const missing =
    attempt('.', 'python3', '-m', 'venv', '--clear', '.venv') ??
    attempt('.', '.venv/bin/python', '-m', 'pip', 'install', '--quiet', '-r', 'servers/python/requirements.txt')
  if (!missing) writeFileSync(stamp, requirements)
  return missing
}
