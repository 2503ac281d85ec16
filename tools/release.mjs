/**
 * `npm run release -- COMMAND`: the steps of a release, which .github/workflows/release.yml runs.
 *
 *     add           describes a change in a new file in .changeset/
 *     status        shows what the next version contains
 *     version       sets the next version and moves the changesets into CHANGELOG.md
 *     check         packs the package as a release does, without publishing it
 *     unpublished   reports whether npm lacks this version
 *     publish       publishes it, in GitHub Actions with provenance
 *     notes         prints what CHANGELOG.md says about this version
 */
import { appendFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { addRelease, notesOf } from './lib/changelog.mjs'
import { install } from './lib/install.mjs'
import { PACKAGE, ROOT, readJson, readText } from './lib/paths.mjs'
import { runNode, runNpm } from './lib/run.mjs'

const HOME = join(ROOT, 'tools', 'release')
const CHANGELOG = join(ROOT, 'CHANGELOG.md')
const [command, ...args] = process.argv.slice(2)

const current = () => readJson(join(PACKAGE, 'package.json'))

function changesets(...words) {
  install(HOME)
  return runNode([join(HOME, 'node_modules', '@changesets', 'cli', 'bin.js'), ...words]).status
}

/** Returns the changesets and the versions that they lead to. */
function readPlan() {
  install(HOME)
  const { default: getReleasePlan } = createRequire(join(HOME, 'package.json'))('@changesets/get-release-plan')
  return getReleasePlan(ROOT)
}

async function setVersion() {
  const { name } = current()
  const plan = await readPlan()
  const release = plan.releases.find((one) => one.name === name)
  const status = changesets('version')
  if (status !== 0 || !release) return status
  writeFileSync(CHANGELOG, addRelease(readText(CHANGELOG), release, plan.changesets))
  return runNpm(['install', '--package-lock-only', '--no-audit', '--no-fund', '--loglevel=error']).status
}

const publish = (...flags) => runNpm(['publish', '--access=public', '--loglevel=notice', ...flags], { cwd: PACKAGE }).status

async function check() {
  const { name, version } = current()
  const { changesets: pending, releases } = await readPlan()
  const next = releases.find((one) => one.name === name)?.newVersion
  console.error(next ? `${pending.length} changesets lead to ${next}` : `no changesets: ${version} is the version to publish`)
  if (!next && !notesOf(readText(CHANGELOG), version)) throw new Error(`CHANGELOG.md has no section "## ${version}"`)
  return publish('--dry-run')
}

/** Writes outputs of a step of a workflow, and prints them. */
function output(values) {
  const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`)
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, lines.join(''))
  process.stdout.write(lines.join(''))
  return 0
}

function unpublished() {
  const { name, version } = current()
  const { ok, stdout, output: text } = runNpm(['view', `${name}@${version}`, 'version', '--json'], { quiet: true })
  if (!ok && !/E404/.test(text)) throw new Error(`npm view failed:\n${text}`)
  return output({ version, unpublished: !ok || stdout.trim() === '' })
}

function printNotes() {
  console.log(notesOf(readText(CHANGELOG), current().version))
  return 0
}

const COMMANDS = {
  add: () => changesets('add', ...args),
  status: () => changesets('status', ...args),
  version: setVersion,
  check,
  unpublished,
  publish: () => publish(...(process.env.GITHUB_ACTIONS ? ['--provenance'] : [])),
  notes: printNotes,
}

if (!Object.hasOwn(COMMANDS, command ?? '')) {
  console.error(`usage: npm run release -- ${Object.keys(COMMANDS).join(' | ')}`)
  process.exitCode = 1
} else process.exitCode = await COMMANDS[command]()
