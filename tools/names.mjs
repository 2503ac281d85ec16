/**
 * `npm run check:names`: each exported name of the library is declared in one file, so that it has one meaning and editors
 * suggest one import for it. Re-exports do not count. Documentation comments begin with a noun or a verb. Errors carry facts: no code reads
 * them out of messages.
 */
import { join } from 'node:path'
import { librarySources } from './lib/entrypoints.mjs'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText, shown } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { parse, ts } from './lib/syntax.mjs'

const HOOKS = 'the same hooks for two frameworks, imported from portcall/apps/react and portcall/apps/preact'

/** Names that several files may declare, each with the reason. */
const EXCEPTIONS = {
  useApp: HOOKS,
  useHostContext: HOOKS,
  usePartialToolInput: HOOKS,
  useToolCancelled: HOOKS,
  useToolInput: HOOKS,
  useToolResult: HOOKS,
  skills: 'one extension for both sides, imported from portcall/skills and portcall/skills/client',
  tasks: 'one extension for both sides, imported from portcall/tasks and portcall/tasks/client',
  events: 'one extension for both sides, imported from portcall/events and portcall/events/client',
}

/** Files that read messages of others, whose errors carry no facts. */
const FOREIGN_MESSAGES = {
  'packages/inspector/src/schema/value.ts': 'JSON.parse names the position only in its message',
  'packages/portcall/src/gateway/api/errors.ts': 'removes what may be secret from any message',
  'packages/portcall/src/stores/redis/error-replies.ts': 'Redis sends its error codes as the first word',
  'packages/portcall/src/stores/redis/executor.ts': 'Redis sends its error codes as the first word',
  'packages/portcall/src/stores/sqlite/errors.ts': 'one driver has the error code only in its message',
  'packages/portcall/src/transports/http/client/session.ts': 'servers report a lost session in many ways',
}
/** Calls that look for something in a message. Those that cut it into lines, or avoid a repetition, do not. */
const READS_MESSAGE =
  /\bmessage\)?\.(?:startsWith|endsWith|match|matchAll|replace|replaceAll|search|indexOf)\(|\.(?:test|exec)\((?:\w+\.)*message\)|errorMessage\([^)]*\)\.(?:includes|replace|replaceAll|match|startsWith|endsWith)\(/

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

/** Returns the files that read messages, with the lines. */
function readersOfMessages() {
  const files = filesBelow(join(ROOT, 'packages'), '.ts', '.tsx').filter((path) => !/\.test\.tsx?$|test-kit/.test(path))
  return files.flatMap((path) => {
    const lines = readText(path)
      .split('\n')
      .filter((line) => READS_MESSAGE.test(line))
    return lines.map((line) => ({ file: shown(path), line: line.trim() }))
  })
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
const readers = readersOfMessages()
report.check(
  'no code reads facts out of messages',
  readers.filter(({ file }) => !(file in FOREIGN_MESSAGES)).map(({ file, line }) => `${file}: ${line}`),
)
report.check(
  'every file with messages of others still reads them',
  Object.keys(FOREIGN_MESSAGES).filter((name) => !readers.some(({ file }) => file === name)),
)
report.end()
