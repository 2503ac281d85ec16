/**
 * `npm run check:stdout`: nothing in the library touches stdout or the console but the files of the stdio transport that hold a process's
 * pipes, and the command.
 */
import { librarySources } from './lib/doors.mjs'
import { shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { lineOf, parse, ts, visit } from './lib/syntax.mjs'

const ALLOWED = /\/(transports\/stdio\/(process|spawn)\.ts|cli\/.*)$/

/** `console.…`, `….stdout` and an imported `stdout`. */
function touches(node) {
  if (ts.isPropertyAccessExpression(node)) return node.expression.getText() === 'console' || node.name.text === 'stdout'
  return ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'stdout'
}

function faults(path) {
  const file = parse(path)
  const found = []
  visit(file, (node) => {
    if (touches(node)) found.push(`${shown(path)}:${lineOf(file, node.getStart())} ${node.getText()}`)
  })
  return found
}

const report = createReport('stdout')
const files = librarySources().filter((path) => !ALLOWED.test(path))
report.check(`${files.length} files leave stdout and the console alone`, files.flatMap(faults))
report.end()
