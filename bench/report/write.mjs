/** Writes the generated report: the page and the chart next to the results, and the figures in the README and the docs. `--check` compares instead. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMain } from '../../tools/lib/paths.mjs'
import { readResults } from '../harness/results.mjs'
import { chartOf } from './chart.mjs'
import { pageOf } from './page.mjs'
import { figuresOf, rangesTable } from './readme.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
/** The pages with figures between two comments. */
const PAGES = [
  { path: at('../../README.md'), render: figuresOf },
  { path: at('../../docs/reference/benchmarks.md'), render: (results) => `\n${rangesTable(results)}\n` },
]
const FIGURES = /(<!-- figures of bench\/results -->\n)[\s\S]*?(<!-- end of figures -->)/

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Returns each generated file with its expected content. */
function files(results) {
  return [
    { path: at('../results/full.md'), content: pageOf(results) },
    { path: at('../results/chart.svg'), content: chartOf(results) },
    ...PAGES.map(({ path, render }) => ({
      path,
      content: read(path).replace(FIGURES, (_, before, after) => `${before}${render(results)}\n${after}`),
    })),
  ]
}

/** Writes the report of all full results. */
export function writeReport() {
  for (const { path, content } of files(readResults('full'))) writeFileSync(path, content)
}

if (isMain(import.meta)) {
  if (!process.argv.includes('--check')) writeReport()
  else {
    const stale = files(readResults('full')).filter(({ path, content }) => read(path) !== content)
    for (const { path } of stale) console.log(`${path} is not what the results say; node bench/report/write.mjs`)
    process.exitCode = stale.length ? 1 : 0
  }
}
