/** `npm run check:workflows`: actionlint accepts the workflows, the other YAML files of .github/ parse, the npm scripts they run
 * exist, and actions are pinned by commit.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { filesBelow } from './lib/files.mjs'
import { install } from './lib/install.mjs'
import { ROOT, readJson, readText, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const HOME = join(ROOT, 'tools', 'release')
const { scripts } = readJson(join(ROOT, 'package.json'))
const files = filesBelow(join(ROOT, '.github'), '.yml').map((path) => ({ path, name: shown(path), text: readText(path) }))
const workflows = files.filter(({ name }) => name.startsWith('.github/workflows/'))

function unknownScripts({ name, text }) {
  const run = [...text.matchAll(/npm run (?:--\S+ )*([\w:-]+)/g)].map(([, script]) => script)
  return run.filter((script) => !scripts[script]).map((script) => `${name}: there is no script ${script}`)
}

/** Tags of actions can be moved to other commits. The comment names the version for people and for Dependabot. */
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/

function unpinnedActions({ name, text }) {
  const used = [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action]) => action)
  return used.filter((action) => !action.startsWith('./') && !PINNED.test(action)).map((action) => `${name}: ${action}`)
}

function yamlFaults({ name, text }) {
  try {
    loadAll(text)
    return []
  } catch (error) {
    return [`${name}: ${error.message}`]
  }
}

install(HOME)
const report = createReport('workflows')
const { createLinter } = createRequire(join(HOME, 'package.json'))('actionlint')
const lint = await createLinter()
report.check(
  `actionlint accepts ${workflows.length} workflows`,
  workflows.flatMap(({ name, text }) => lint(text, name).map(({ line, message }) => `${name}:${line}: ${message}`)),
)
report.check(`${files.length} YAML files parse`, files.flatMap(yamlFaults))
report.check('the npm scripts exist', files.flatMap(unknownScripts))
report.check('actions are pinned by commit', workflows.flatMap(unpinnedActions))
report.end()
