/** Makes peers ready on this machine. Each function gives the reason when it cannot, and does nothing when all is there. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { install } from '../tools/lib/install.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const BUILD_MS = 540_000

/** Runs a command in a folder of the bench; tells why it did not work, if it did not. */
function attempt(folder, command, ...args) {
  const env = { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' }
  const cwd = `${HERE}${folder}`
  const { status, error, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: BUILD_MS })
  if (status === 0) return undefined
  if (error?.code === 'ENOENT') return `there is no ${command} here`
  return `${command} ${args.join(' ')}: ${error?.message ?? stderr.trim().split('\n').slice(-3).join(' ')}`
}

/** What a package-lock.json says, in this folder or in one below. */
async function installed(folder = '') {
  try {
    install(`${HERE}${folder}`)
    return undefined
  } catch (error) {
    return error.message
  }
}

/** The peers of npm. */
export const installPeers = () => installed()

/** The commands of others, and a Node that they run on. */
export const installCommands = () => installed('commands')

export const prepareGo = async () =>
  attempt('servers/go', 'go', 'build', '-mod=readonly', '-buildvcs=false', '-o', '../../build/go', '.')

export const prepareRust = async () =>
  attempt('servers/rust', 'cargo', 'build', '--quiet', '--release', '--locked', '--target-dir', '../../build/rust')

/** The official Python SDK, in an environment of its own. */
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
