/**
 * `npm run check:names`: each exported name of the library is declared in one file, so that it has one meaning and editors
 * suggest one import for it. Re-exports do not count. Documentation comments begin with a noun or a verb.
 */
import { join } from 'node:path'
import { librarySources } from './lib/entrypoints.mjs'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { parse, ts } from './lib/syntax.mjs'

/** Names that several files may declare, each with the reason. */
const EXCEPTIONS = {
  skills: 'one extension for both sides, imported from portcall/skills and portcall/skills/client',
  tasks: 'one extension for both sides, imported from portcall/tasks and portcall/tasks/client',
}

const isExported = (statement) =>
  ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

const namesOf = (statement) =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map(({ name }) => name.getText())
    : [statement.name?.getText()].filter(Boolean)

/** Maps each exported name to the files that declare it. */
function declarations() {
  const files = new Map()
  for (const path of librarySources()) {
    for (const name of parse(path).statements.filter(isExported).flatMap(namesOf))
      files.set(name, (files.get(name) ?? new Set()).add(shown(path)))
  }
  return files
}

/** Returns the places of comments that begin as a question does. */
function questions() {
  const files = ['packages', 'test', 'tools', 'bench', 'examples'].flatMap((folder) =>
    filesBelow(join(ROOT, folder), '.ts', '.tsx', '.mjs'),
  )
  return files.flatMap((path) =>
    [...readText(path).matchAll(/\/\*\*\s+(?:\* )?(?:What|Whether) .*/g)].map(([text]) => `${shown(path)}: ${text}`),
  )
}

const report = createReport('names')
const declared = declarations()
const duplicates = [...declared].filter(([, files]) => files.size > 1)
report.check(
  `${declared.size} exported names are each declared once`,
  duplicates.filter(([name]) => !(name in EXCEPTIONS)).map(([name, files]) => `${name}: ${[...files].join(', ')}`),
)
report.check(
  'every exception is still needed',
  Object.keys(EXCEPTIONS).filter((name) => !duplicates.some(([duplicate]) => duplicate === name)),
)
report.check('no documentation comment begins with What or Whether', questions())
report.end()
