/**
 * `npm run docs:build`, `docs:dev`, `docs:preview`: VitePress builds the documentation site from docs/ to tools/site/dist, without
 * network, and checks each link of what it built. `npm run docs:test` builds it and tries it in Chromium.
 */
import { join } from 'node:path'
import { install } from './lib/install.mjs'
import { ROOT } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { becomeNode, runNode } from './lib/run.mjs'
import { linkFaults } from './site/lib/check-links.mjs'

const HOME = join(ROOT, 'tools', 'site')
const VITEPRESS = join(HOME, 'node_modules', 'vitepress', 'bin', 'vitepress.js')
const DIST = join(HOME, 'dist')
const BASE = process.env.DOCS_BASE ?? '/portcall/'

/** Builds the site and returns why that failed, if it did. */
function build() {
  const { ok, output } = runNode([VITEPRESS, 'build', HOME], { quiet: true })
  return ok ? [] : output.trim().split('\n').slice(-60)
}

async function test() {
  const report = createReport('site')
  report.check('the site builds', build())
  if (!report.failed) {
    report.check('its links resolve', linkFaults(DIST, BASE))
    await (await import('./site/test.mjs')).testSite({ dist: DIST, base: BASE }, report)
  }
  report.end()
}

const COMMANDS = {
  build() {
    const failure = build()
    const faults = failure.length ? failure : linkFaults(DIST, BASE)
    for (const fault of faults) console.error(fault)
    if (faults.length) process.exitCode = 1
    else console.log(`built ${DIST}`)
  },
  dev: () => becomeNode([VITEPRESS, 'dev', HOME, ...process.argv.slice(3)]),
  preview: () => becomeNode([VITEPRESS, 'preview', HOME, ...process.argv.slice(3)]),
  test,
}

install(HOME)
await COMMANDS[process.argv[2] ?? 'build']()
