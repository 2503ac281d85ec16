// npm run conformance -- server|client [--suite all] [--revision R] [--scenario S] [--store memory|sqlite|redis|postgres]
// Runs the official conformance suite against the fixtures, once for each revision, and applies a strict gate.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { prepareProgram } from '../../tools/lib/program.mjs'
import { freePort } from '../support/free-port.mjs'
import { judge } from './gate.mjs'
import { STORES } from './stores.mjs'
import { install, listExtensions, listScenarios, runClientScenario, runScenarios } from './suite.mjs'

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
/** The revisions that extensions are tried with. */
const EXTENSIBLE = ['2025-11-25', '2026-07-28']
const RESULTS = fileURLToPath(new URL('./results', import.meta.url))
const OPTIONS = {
  suite: { type: 'string', default: 'all' },
  revision: { type: 'string' },
  scenario: { type: 'string' },
  store: { type: 'string', default: 'memory' },
}

const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true })
const commands = { server: testServer, client: testClient }
process.exitCode = await (commands[positionals[0] ?? 'server'] ?? refuseUnknown)(values)

async function testServer({ suite, revision, scenario, store }) {
  install()
  const backend = await STORES[store]()
  const fixture = await startFixture(backend.env)
  const total = { passed: 0, failed: 0 }
  try {
    for (const each of revision ? [revision] : REVISIONS) {
      const folder = join(RESULTS, each)
      rmSync(folder, { recursive: true, force: true })
      const extensions = each === EXTENSIBLE.at(-1) ? listExtensions('server') : []
      const known = [...listScenarios('server', each), ...extensions]
      if (scenario && !known.includes(scenario)) continue
      if (!extensions.includes(scenario)) await runScenarios({ url: fixture.url, revision: each, suite, scenario, folder })
      const wanted = extensions.filter((name) => scenario === undefined || name === scenario)
      for (const one of wanted) await runScenarios({ url: fixture.url, scenario: one, folder })
      report(each, judge(folder, expectedOf({ known, suite, scenario })), total)
    }
  } finally {
    fixture.stop()
    await backend.stop()
  }
  return summary(total)
}

function summary({ passed, failed }) {
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 || passed === 0 ? 1 : 0
}

function expectedOf({ known, suite, scenario }) {
  if (scenario) return [scenario]
  return suite === 'all' ? known : undefined
}

function report(revision, { checks, verdicts }, total) {
  const bad = verdicts.filter(({ faults }) => faults.length > 0)
  total.failed += bad.length
  total.passed += verdicts.length - bad.length
  const figures = Object.entries(checks).map(([name, count]) => `${count} ${name}`)
  console.log(`${revision}  scenarios ${verdicts.length - bad.length} of ${verdicts.length}  checks ${figures.join(', ')}`)
  for (const { name, faults } of bad) for (const fault of faults) console.log(`  ! ${name}: ${fault}`)
}

async function startFixture(store) {
  const port = await freePort()
  const script = fileURLToPath(new URL('../../tools/run.mjs', import.meta.url))
  const fixture = fileURLToPath(new URL('./fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [script, fixture], {
    env: { ...process.env, ...store, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://localhost:${port}/mcp`
  await reachable(url, child)
  return { url, stop: () => child.kill() }
}

async function reachable(url, child) {
  for (let attempt = 0; attempt < 120 && child.exitCode === null; attempt++) {
    try {
      await fetch(url)
      return
    } catch {
      await sleep(250)
    }
  }
  child.kill()
  throw new Error('The fixture did not start')
}

/** What the suite has for clients of a revision; skills belong to the newest alone. */
function clientScenarios(revision) {
  const newest = revision === EXTENSIBLE.at(-1)
  const extensions = listExtensions('client').filter((name) => name.startsWith('auth/') || newest)
  return [...listScenarios('client', revision), ...(EXTENSIBLE.includes(revision) ? extensions : [])]
}

function isOf(suite, scenario) {
  return suite === 'all' || scenario.startsWith(`${suite}/`)
}

async function testClient({ suite, revision, scenario }) {
  install()
  const command = `exec ${process.execPath} ${await prepareProgram(fileURLToPath(new URL('./client.ts', import.meta.url)))}`
  const total = { passed: 0, failed: 0 }
  for (const each of revision ? [revision] : REVISIONS) {
    const wanted = clientScenarios(each).filter((name) => (scenario ? name === scenario : isOf(suite, name)))
    const folder = join(RESULTS, `client-${each}`)
    rmSync(folder, { recursive: true, force: true })
    for (const name of wanted) await runClientScenario({ command, revision: each, scenario: name, folder })
    if (wanted.length > 0) report(each, judge(folder, wanted), total)
  }
  return summary(total)
}

function refuseUnknown() {
  console.error('Usage: npm run conformance -- server|client [--suite all] [--revision R] [--scenario S] [--store NAME]')
  return 1
}
