/** Installs what the servers need besides packages from npm. Nothing is installed twice. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { CACHE, FOLDER, KEYCLOAK, KEYCLOAK_VERSION, PYTHON } from './support/places.mjs'

const TIMEOUT_MS = 900_000

function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8', timeout: TIMEOUT_MS })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `${stdout}\n${stderr}`.trim()}`)
}

function preparePython() {
  const requirements = readFileSync(`${FOLDER}requirements.txt`, 'utf8')
  const stamp = `${FOLDER}.venv/requirements.txt`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return
  console.error('installing test/sign-in/requirements.txt …')
  run('python3', ['-m', 'venv', '.venv'])
  run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'])
  writeFileSync(stamp, requirements)
}

/** Downloads Keycloak and builds it for a database in memory, so that it starts quickly. Requires Java and Maven. */
function prepareKeycloak() {
  if (existsSync(KEYCLOAK)) return
  console.error(`installing Keycloak ${KEYCLOAK_VERSION} …`)
  const name = `keycloak-${KEYCLOAK_VERSION}`
  const unpacked = `${CACHE}unpacked`
  rmSync(unpacked, { recursive: true, force: true })
  mkdirSync(unpacked, { recursive: true })
  const artifact = `org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:tar.gz`
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
  run('mvn', ['--quiet', '--batch-mode', copy, `-Dartifact=${artifact}`, `-DoutputDirectory=${unpacked}`])
  run('tar', ['-xzf', `${unpacked}/keycloak-quarkus-dist-${KEYCLOAK_VERSION}.tar.gz`, '-C', unpacked])
  run(`${unpacked}/${name}/bin/kc.sh`, ['build', '--db=dev-mem'])
  renameSync(`${unpacked}/${name}`, KEYCLOAK)
  rmSync(unpacked, { recursive: true })
}

const PREPARATIONS = { django: preparePython, fastmcp: preparePython, keycloak: prepareKeycloak }

/** Prepares the servers with these names. */
export function prepare(names) {
  for (const name of names) PREPARATIONS[name]?.()
}
