/** Prepares the servers in other languages, on machines with their toolchains. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acquireLock } from '../../tools/lib/lock.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const windows = process.platform === 'win32'

/** Runs a command. Returns the reason when it fails. */
function attempt(command, args, cwd = here) {
  const { status, error, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  })
  if (status === 0) return undefined
  return error ? `there is no ${command} here` : `${command} ${args.join(' ')}: ${stderr.trim().split('\n').slice(-3).join(' ')}`
}

/** Prepares the official Python SDK and FastMCP in a virtual environment, once for all commands that run at the same time. */
export function preparePython() {
  const release = acquireLock('python')
  try {
    return fillEnvironment()
  } finally {
    release()
  }
}

function fillEnvironment() {
  const requirements = readFileSync(join(here, 'servers', 'python', 'requirements.txt'), 'utf8')
  const python = join(here, '.venv', windows ? 'Scripts/python.exe' : 'bin/python')
  const stamp = join(here, '.venv', 'requirements.txt')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== requirements) {
    const create = () => attempt('python3', ['-m', 'venv', '--clear', '.venv'])
    const fill = () => attempt(python, ['-m', 'pip', 'install', '--quiet', '-r', 'servers/python/requirements.txt'])
    const missing = create() ?? fill()
    if (missing) return { missing }
    writeFileSync(stamp, requirements)
  }
  return { command: python, args: [join(here, 'servers', 'python', 'server.py')] }
}

/** Builds the official Go SDK server. */
function prepareGo() {
  const program = join(here, 'dist', 'servers', windows ? 'go.exe' : 'go')
  mkdirSync(join(here, 'dist', 'servers'), { recursive: true })
  const missing = attempt('go', ['build', '-mod=readonly', '-buildvcs=false', '-o', program, '.'], join(here, 'servers', 'go'))
  return missing ? { missing } : { command: program, args: [] }
}

/** How to run each server, or what is missing. */
export function prepareForeign() {
  const python = preparePython()
  const pythonOf = (file) => (python.missing ? python : { ...python, args: [join(here, 'servers', 'python', file)] })
  const foreign = {
    python,
    'fastmcp-python': pythonOf('fastmcp_server.py'),
    'events-python': pythonOf('events_server.py'),
    go: prepareGo(),
  }
  for (const [name, { missing }] of Object.entries(foreign))
    if (missing) console.error(`\n!!! SKIPPED, the server ${name}: ${missing}\n`)
  return foreign
}
