/** Installs the programs that the tests of deploy/ use. Tests whose program is missing are skipped. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DEBIAN = { '/usr/bin/prometheus': 'prometheus', '/usr/sbin/nginx': 'nginx', '/usr/bin/caddy': 'caddy' }

function attempt(command, args, env = {}) {
  const { status, error, stderr } = spawnSync(command, args, { cwd: HERE, encoding: 'utf8', env: { ...process.env, ...env } })
  if (status === 0) return true
  console.error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`)
  return false
}

/** Installs hadolint and the schemas of Kubernetes in a virtual environment. */
function preparePython() {
  const requirements = readFileSync(`${HERE}requirements.txt`, 'utf8')
  const stamp = `${HERE}.venv/requirements.txt`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return
  console.error('installing test/operations/requirements.txt …')
  if (!attempt('python3', ['-m', 'venv', '.venv'])) return
  if (attempt('.venv/bin/pip', ['install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt']))
    writeFileSync(stamp, requirements)
}

/** Installs packages of Debian as root, without starting their services. */
function prepareDebian() {
  const missing = Object.keys(DEBIAN).filter((path) => !existsSync(path))
  if (missing.length === 0) return
  const names = missing.map((path) => DEBIAN[path])
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.error(`without ${names.join(', ')}: install the packages to run all tests`)
    return
  }
  console.error(`installing ${names.join(', ')} …`)
  attempt('apt-get', ['install', '--yes', '--no-install-recommends', ...names], {
    RUNLEVEL: '1',
    DEBIAN_FRONTEND: 'noninteractive',
  })
}

export function prepare() {
  preparePython()
  prepareDebian()
}
