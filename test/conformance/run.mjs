// npm run conformance -- server|client|gateway [--suite all] [--revision R] [--scenario S] [--store memory|sqlite|redis|postgres]
// gateway: [--upstream R] selects the revision behind the gateway; --crossed runs only pairs of different eras.
// client: --through gateway runs the scenarios with a gateway as the client of the suite.
// Runs the official conformance suite against the fixtures, once per revision, and fails on warnings too.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { prepareProgram } from '../../tools/lib/program.mjs'
import { freePort } from '../support/free-port.mjs'
import { evaluate } from './gate.mjs'
import { reasonOf } from './gateway-differences.mjs'
import { STORES } from './stores.mjs'
import { install, listExtensions, listScenarios, runClientScenario, runScenarios } from './suite.mjs'

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
/** The revisions that extensions are tested with. */
const REVISIONS_WITH_EXTENSIONS = ['2025-11-25', '2026-07-28']
const RESULTS = fileURLToPath(new URL('./results', import.meta.url))
const OPTIONS = {
  suite: { type: 'string', default: 'all' },
  revision: { type: 'string' },
  scenario: { type: 'string' },
  store: { type: 'string', default: 'memory' },
  upstream: { type: 'string' },
  crossed: { type: 'boolean', default: false },
  through: { type: 'string' },
}

const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true })
const commands = { server: testServer, client: testClient, gateway: testGateway }
process.exitCode = await (commands[positionals[0] ?? 'server'] ?? printUsage)(values)

async function testServer({ suite, revision, scenario, store }) {
  install()
  const backend = await STORES[store]()
  const fixture = await startFixture(backend.env)
  const total = { passed: 0, failed: 0 }
  try {
    await testUrl(fixture.url, { suite, revision, scenario, folder: RESULTS, total, label: '' })
  } finally {
    fixture.stop()
    await backend.stop()
  }
  return summary(total)
}

/** Runs the server scenarios of each revision against a URL. */
async function testUrl(url, { suite, revision, scenario, folder: results, total, label, behind, rows }) {
  for (const current of revision ? [revision] : REVISIONS) {
    const folder = join(results, current)
    rmSync(folder, { recursive: true, force: true })
    const extensions = current === REVISIONS_WITH_EXTENSIONS.at(-1) ? listExtensions('server') : []
    const known = [...listScenarios('server', current), ...extensions]
    if (scenario && !known.includes(scenario)) continue
    if (!extensions.includes(scenario)) await runScenarios({ url, revision: current, suite, scenario, folder })
    const selectedExtensions = extensions.filter((name) => scenario === undefined || name === scenario)
    for (const name of selectedExtensions) await runScenarios({ url, scenario: name, folder })
    const outcome = evaluate(folder, expectedOf({ known, suite, scenario }))
    const judged = withoutDifferences(outcome, behind)
    report(label + current, judged, total)
    rows?.push({ client: current, behind, verdicts: judged.verdicts })
  }
}

/** Removes the verdicts of scenarios that a gateway changes, and prints the reasons. */
function withoutDifferences({ checks, verdicts }, behind) {
  const different = verdicts.filter(({ name, faults }) => faults.length > 0 && reasonOf(name, behind))
  for (const { name } of different) console.log(`  ~ ${name}: ${reasonOf(name, behind)}`)
  return { checks, verdicts: verdicts.filter((verdict) => !different.includes(verdict)) }
}

/** Runs the server scenarios through a bridge, once for each revision that it speaks to the fixture: both eras on both sides. */
async function testGateway({ suite, revision, scenario, upstream, crossed }) {
  install()
  const fixture = await startFixture({})
  const total = { passed: 0, failed: 0 }
  const rows = []
  try {
    for (const behind of upstream ? [upstream] : REVISIONS_WITH_EXTENSIONS) {
      const other = REVISIONS_WITH_EXTENSIONS.find((one) => one !== behind)
      const gateway = await startProgram('./gateway.ts', { UPSTREAM: fixture.url, UPSTREAM_REVISION: behind })
      const folder = join(RESULTS, `gateway-${behind}`)
      await testUrl(gateway.url, {
        suite,
        revision: crossed ? other : revision,
        scenario,
        folder,
        total,
        rows,
        label: `behind ${behind}  client `,
        behind,
      }).finally(gateway.stop)
    }
  } finally {
    fixture.stop()
  }
  printPairs(rows)
  return summary(total)
}

/** Prints how many scenarios passed, by the revision of the client in front of the gateway and of the server behind it. */
function printPairs(rows) {
  const servers = [...new Set(rows.map(({ behind }) => behind))]
  const clients = [...new Set(rows.map(({ client }) => client))]
  const cell = (client, server) => {
    const { verdicts } = rows.find((row) => row.client === client && row.behind === server) ?? {}
    return verdicts ? `${verdicts.filter(({ faults }) => faults.length === 0).length} of ${verdicts.length}` : '-'
  }
  const table = [
    ['client', ...servers.map((server) => `server ${server}`)],
    ...clients.map((client) => [client, ...servers.map((server) => cell(client, server))]),
  ]
  for (const cells of table)
    console.log(
      cells
        .map((text) => text.padEnd(20))
        .join('')
        .trimEnd(),
    )
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
  const failed = verdicts.filter(({ faults }) => faults.length > 0)
  total.failed += failed.length
  total.passed += verdicts.length - failed.length
  const figures = Object.entries(checks).map(([name, count]) => `${count} ${name}`)
  console.log(`${revision}  scenarios ${verdicts.length - failed.length} of ${verdicts.length}  checks ${figures.join(', ')}`)
  for (const { name, faults } of failed) for (const fault of faults) console.log(`  ! ${name}: ${fault}`)
}

function startFixture(store) {
  return startProgram('./fixture.ts', store)
}

async function startProgram(path, env) {
  const port = await freePort()
  const script = fileURLToPath(new URL('../../tools/run.mjs', import.meta.url))
  const program = fileURLToPath(new URL(path, import.meta.url))
  const child = spawn(process.execPath, [script, program], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://localhost:${port}/mcp`
  await waitUntilReachable(url, child)
  return { url, stop: () => child.kill() }
}

async function waitUntilReachable(url, child) {
  for (let attempt = 0; attempt < 120 && child.exitCode === null; attempt++) {
    try {
      await fetch(url)
      return
    } catch {
      await sleep(250)
    }
  }
  child.kill()
  throw new Error('The server did not start')
}

/** Returns the client scenarios of a revision. Skills are tested with the newest one only. */
function clientScenarios(revision) {
  const newest = revision === REVISIONS_WITH_EXTENSIONS.at(-1)
  const extensions = listExtensions('client').filter((name) => name.startsWith('auth/') || newest)
  return [...listScenarios('client', revision), ...(REVISIONS_WITH_EXTENSIONS.includes(revision) ? extensions : [])]
}

function isInSuite(suite, scenario) {
  return suite === 'all' || scenario.startsWith(`${suite}/`)
}

async function testClient({ suite, revision, scenario, through }) {
  install()
  if (through === 'gateway') process.env.CONFORMANCE_THROUGH = through
  const command = `exec ${process.execPath} ${await prepareProgram(fileURLToPath(new URL('./client.ts', import.meta.url)))}`
  const total = { passed: 0, failed: 0 }
  for (const current of revision ? [revision] : REVISIONS) {
    const scenarios = clientScenarios(current).filter((name) => (scenario ? name === scenario : isInSuite(suite, name)))
    const folder = join(RESULTS, `client-${current}`)
    rmSync(folder, { recursive: true, force: true })
    for (const name of scenarios) await runClientScenario({ command, revision: current, scenario: name, folder })
    if (scenarios.length > 0) report(current, withoutDifferences(evaluate(folder, scenarios), through), total)
  }
  return summary(total)
}

function printUsage() {
  console.error('Usage: npm run conformance -- server|client|gateway [--suite all] [--revision R] [--scenario S] [--store NAME]')
  return 1
}
