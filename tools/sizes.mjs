/** `npm run check:sizes`: the sizes of files, functions, parameter lists and comments in the library. */
import { librarySources } from './lib/doors.mjs'
import { commentLines, functionsOf } from './lib/measure.mjs'
import { shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { parse } from './lib/syntax.mjs'

const LIMITS = {
  fileMedian: 120,
  fileMost: 400,
  functionP90: 40,
  functionMost: 80,
  parameters: 3,
  commentsPer100: 5,
}

/** Tables are as long as what they hold. */
const TABLES = /\/protocol\/(types|revisions)\.ts$/

/** The value that a share of a list does not exceed. */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

const report = createReport('sizes')
const files = librarySources().map(parse)
const lengths = files.map((file) => ({ where: shown(file.fileName), lines: file.text.trimEnd().split('\n').length }))
const functions = files.flatMap(functionsOf)

const limit = (title, value, most) =>
  report.check(`${title}: ${value}, at most ${most}`, value > most ? [`${value} > ${most}`] : [])
const each = (title, list, most, of) =>
  report.check(
    `${title}: ${Math.max(0, ...list.map(of))}, at most ${most}`,
    list.filter((one) => of(one) > most).map((one) => `${one.where}: ${of(one)}`),
  )

report.note(`${files.length} files, ${functions.length} functions, ${lengths.reduce((sum, { lines }) => sum + lines, 0)} lines`)
limit(
  'median file',
  quantile(
    lengths.map(({ lines }) => lines),
    0.5,
  ),
  LIMITS.fileMedian,
)
each(
  'longest file',
  lengths.filter(({ where }) => !TABLES.test(where)),
  LIMITS.fileMost,
  ({ lines }) => lines,
)
limit(
  '90th percentile of functions',
  quantile(
    functions.map(({ lines }) => lines),
    0.9,
  ),
  LIMITS.functionP90,
)
each('longest function', functions, LIMITS.functionMost, ({ lines }) => lines)
each('most parameters', functions, LIMITS.parameters, ({ parameters }) => parameters)

const { comments, code } = files
  .map(commentLines)
  .reduce((a, b) => ({ comments: a.comments + b.comments, code: a.code + b.code }))
limit(
  'comment lines per 100 lines inside functions',
  Number(((100 * comments) / Math.max(1, code)).toFixed(1)),
  LIMITS.commentsPer100,
)
report.end()
