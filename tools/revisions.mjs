/** `npm run check:revisions`: no code names a revision but the table and the translator. Comments and tests may, and examples of tests. */
import { join } from 'node:path'
import { librarySources } from './lib/doors.mjs'
import { filesBelow } from './lib/files.mjs'
import { ROOT, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { lineOf, parse, ts, visit } from './lib/syntax.mjs'

const REVISION = /20\d\d-\d\d-\d\d/
const ALLOWED = /\/(protocol\/revisions\.ts|legacy\/.*|examples\/testing[^/]*\.ts)$/

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node)

function literals(path) {
  const file = parse(path)
  const found = []
  visit(file, (node) => {
    if (isText(node) && REVISION.test(node.text)) found.push(`${shown(path)}:${lineOf(file, node.getStart())} ${node.getText()}`)
  })
  return found
}

const report = createReport('revisions')
const files = [...librarySources(), ...filesBelow(join(ROOT, 'examples'), '.ts')].filter((path) => !ALLOWED.test(path))
report.check(`no revision in the literals of ${files.length} files`, files.flatMap(literals))
report.end()
