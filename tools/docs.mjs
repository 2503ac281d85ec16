/**
 * `npm run check:docs`: snippets in README.md and docs/ match the file they come from, or compile; shell commands are run by a test;
 * links resolve; generated pages are up to date; every error code is documented. `-- --write` updates snippets and pages.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ensure } from './ensure.mjs'
import { commandFaults } from './lib/commands.mjs'
import { compileSnippets } from './lib/compile-snippets.mjs'
import { errorCodes } from './lib/error-codes.mjs'
import { exampleFaults, examples } from './lib/examples.mjs'
import { filesBelow } from './lib/files.mjs'
import { anchorsOf, fencesOf, linksOf } from './lib/markdown.mjs'
import { ROOT, readText, shown } from './lib/paths.mjs'
import { unknownMessages } from './lib/quoted-messages.mjs'
import { codeFrom } from './lib/regions.mjs'
import { createReport } from './lib/report.mjs'
import { runNode } from './lib/run.mjs'

const at = (name) => join(ROOT, name)
/** Scripts that generate pages; with `--check` they compare instead. */
const GENERATED = [
  { script: 'tools/revisions-doc.mjs', holds: 'docs/reference/protocol-versions.md is up to date' },
  { script: 'tools/reference.mjs', holds: 'docs/reference/api is up to date, and every export and member is documented' },
  { script: 'tools/command-doc.mjs', holds: 'docs/tools/cli.md matches the definitions of the commands' },
  {
    script: 'tools/gateway-doc.mjs',
    holds: 'the tables of docs/gateway match the JSON Schema and the differences that tests skip',
  },
  { script: 'tools/contents.mjs', holds: 'docs/README.md and llms.txt list every page, and examples/README.md every example' },
  { script: 'bench/report/write.mjs', holds: 'the figures match bench/results' },
]
const all = [at('README.md'), at('examples/README.md'), ...filesBelow(at('docs'), '.md')].filter(existsSync)
const prose = all.filter((path) => !path.startsWith(at('docs/reference/api')))
const pages = [
  ...all,
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'].map(at).filter(existsSync),
]
const snippets = () =>
  prose.flatMap((path) => fencesOf(readText(path)).map((fence) => ({ ...fence, path, where: `${shown(path)}:${fence.line}` })))

/** Updates the snippets of a page, last to first so that positions stay valid. */
function refresh(path) {
  let text = readText(path)
  for (const { from, code, codeStart } of fencesOf(text).reverse()) {
    const fresh = from && codeFrom(from)
    if (fresh) text = text.slice(0, codeStart) + fresh + text.slice(codeStart + code.length)
  }
  writeFileSync(path, text)
}

function staleness({ from, code, where }) {
  const fresh = codeFrom(from)
  if (fresh === undefined) return [`${where}: ${from} does not exist`]
  return fresh === code ? [] : [`${where}: differs from ${from}; npm run check:docs -- --write`]
}

function deadLinks(path) {
  return linksOf(readText(path)).flatMap((target) => {
    const [file, anchor] = target.split('#')
    const page = file ? resolve(dirname(path), decodeURIComponent(file)) : path
    if (!existsSync(page)) return [`${shown(path)}: ${target} does not exist`]
    return anchor && page.endsWith('.md') && !anchorsOf(readText(page)).has(anchor)
      ? [`${shown(path)}: ${target} has no such heading`]
      : []
  })
}

await ensure()
if (process.argv.includes('--write')) {
  for (const { script } of GENERATED) runNode([at(script)])
  prose.forEach(refresh)
}
const report = createReport('docs')
const named = snippets().filter(({ from }) => from)
const loose = snippets().filter(({ from, language }) => !from && (language === 'ts' || language === 'typescript'))
report.check(`${named.length} snippets match their files`, named.flatMap(staleness))
report.check(
  'no snippet is empty',
  snippets().flatMap(({ code, where }) => (code.trim() ? [] : [where])),
)
report.check(`${loose.length} other snippets compile`, compileSnippets(loose))
const commands = snippets().filter(({ language }) => language === 'sh')
report.check(`${commands.length} shell snippets are run by a test or give a reason`, commands.flatMap(commandFaults))
report.check(`${examples().length} examples are short and run by tests`, exampleFaults())
report.check(`links of ${pages.length} pages resolve`, pages.flatMap(deadLinks))

const TROUBLESHOOTING = 'docs/help/troubleshooting.md'
report.check(
  `the messages in ${TROUBLESHOOTING} exist`,
  unknownMessages(readText(at(TROUBLESHOOTING))).map((message) => `${message}: neither the sources nor test/mistakes contain it`),
)

for (const { script, holds } of GENERATED) {
  const { ok, output } = runNode([at(script), '--check'], { quiet: true })
  report.check(holds, ok ? [] : output.trim().split('\n'))
}

if (existsSync(at('docs/reference/errors.md'))) {
  const text = readText(at('docs/reference/errors.md'))
  const codes = errorCodes()
  report.check(
    `docs/reference/errors.md documents ${codes.length} error codes`,
    codes.filter(({ code }) => !text.includes(`\`${code}\``)).map(({ code, where }) => `${code} of ${where} is missing`),
  )
} else report.skip('docs/reference/errors.md is not there')
report.end()
