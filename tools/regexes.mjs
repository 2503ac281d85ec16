/**
 * `npm run check:regexes`: each regular expression of the library and the inspector takes time that is linear in the length of the text. Each
 * is tried with texts that repeat parts of what it matches.
 */
import { join } from 'node:path'
import { filesBelow, isTest } from './lib/files.mjs'
import { PAGE } from './lib/page.mjs'
import { SOURCE_FOLDERS, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { slowText } from './lib/slow-text.mjs'
import { lineOf, parse, ts, visit } from './lib/syntax.mjs'

/** Expressions that may take longer, each with the reason: where their text comes from, and what limits it. */
const EXCEPTIONS = {
  'packages/inspector/src/schema/problems.ts [+*}][^)]*\\)[+*{]': 'only reads patterns of at most 200 characters',
}

const FOLDERS = [...SOURCE_FOLDERS, join(PAGE.home, 'src')]
function expressionsIn(path) {
  const found = []
  const file = parse(path)
  visit(file, (node) => {
    if (!ts.isRegularExpressionLiteral(node)) return
    const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(node.text)
    found.push({ path: shown(path), line: lineOf(file, node.getStart()), source, flags })
  })
  return found
}

const report = createReport('regexes')
const paths = FOLDERS.flatMap((folder) => filesBelow(folder, '.ts', '.tsx')).filter((path) => !isTest(path))
const expressions = paths.flatMap(expressionsIn)
const slow = expressions.flatMap((expression) => {
  const found = slowText(expression)
  return found ? [{ ...expression, ...found }] : []
})
const keyOf = ({ path, source }) => `${path} ${source}`
report.check(
  `${expressions.length} regular expressions take linear time`,
  slow
    .filter((one) => !Object.hasOwn(EXCEPTIONS, keyOf(one)))
    .map(({ path, line, source, before, repeated, length, ms }) => {
      const text = `${JSON.stringify(before)} and then ${JSON.stringify(repeated)} repeated`
      return `${path}:${line} /${source}/ takes ${ms} ms for ${length} characters: ${text}`
    }),
)
report.check(
  'every exception is still needed',
  Object.keys(EXCEPTIONS).filter((key) => !slow.some((one) => keyOf(one) === key)),
)
report.end()
