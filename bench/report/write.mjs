/** Writes the generated report: the page and the chart next to the results, and the figures in the README and the docs. `--check` compares instead. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMain } from '../../tools/lib/paths.mjs'
import { readResults } from '../harness/results.mjs'
import { chartOf } from './chart.mjs'
import { pageOf } from './page.mjs'
import { figuresOf, rangesTable } from './readme.mjs'
import { readRuns, recordRuns } from './runs.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
/** The pages with figures between two comments. */
const PAGES = [
  { path: at('../../README.md'), render: figuresOf },
  { path: at('../../docs/reference/benchmarks.md'), render: (_results, runs) => `\n${rangesTable(runs)}\n` },
]
const FIGURES = /(<!-- figures of bench\/results -->\n)[\s\S]*?(<!-- end of figures -->)/

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Returns each generated file with its expected content. */
function files(results, runs) {
  return [
    { path: at('../results/full.md'), content: pageOf(results) },
    { path: at('../results/chart.svg'), content: chartOf(results) },
    ...PAGES.map(({ path, render }) => ({
      path,
      content: read(path).replace(FIGURES, (_, before, after) => `${before}${render(results, runs)}\n${after}`),
    })),
  ]
}

/** Records the latest full results, and writes the report of them. */
export function writeReport() {
  const results = readResults('full')
  recordRuns(results)
  for (const { path, content } of files(results, readRuns())) writeFileSync(path, content)
}

if (isMain(import.meta)) {
  if (!process.argv.includes('--check')) writeReport()
  else {
    const stale = files(readResults('full'), readRuns()).filter(({ path, content }) => read(path) !== content)
    for (const { path } of stale) console.log(`${path} is not what the results say; node bench/report/write.mjs`)
    process.exitCode = stale.length ? 1 : 0
  }
}
