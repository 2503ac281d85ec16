/** `node tools/revisions-doc.mjs`: writes docs/reference/protocol-versions.md from protocol/revisions.ts; `--check` compares instead. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readText, SRC } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { ts } from './lib/syntax.mjs'

const TABLE = join(SRC, 'protocol', 'revisions.ts')
const PAGE = join(ROOT, 'docs', 'reference', 'protocol-versions.md')

/** Loads the table, which imports nothing. */
async function loadTable() {
  const { outputText } = ts.transpileModule(readText(TABLE), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  })
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`)
}

const code = (text) => `\`${text}\``
const codes = (list) => (list.length > 0 ? list.map(code).join(', ') : '–')
const yesNo = (value) => (value ? 'yes' : '–')

const row = (cells) => `| ${cells.join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

/** Renders one row per name and one column per revision, with a mark where the revision has it. */
function presence(revisions, title, listOf) {
  const names = [...new Set(revisions.flatMap(listOf))]
  return byRevision(
    revisions,
    title,
    names.map((name) => [code(name), (revision) => yesNo(listOf(revision).includes(name))]),
  )
}

/** Renders one row per property and one column per revision. */
function byRevision(revisions, title, facts) {
  return table(
    [title, ...revisions.map(({ version }) => version)],
    facts.map(([name, tell]) => [name, ...revisions.map(tell)]),
  )
}

/** Renders one row per type: its fields in the oldest revision that has it, then what each later one adds or removes. */
function fieldChanges(revisions) {
  const rows = Object.keys(revisions[0].fields).map((entity) => {
    const lists = revisions.map(({ fields }) => fields[entity])
    const changes = lists.map((list, i) => {
      const before = i > 0 ? lists[i - 1] : []
      const more = list.filter((field) => !before.includes(field))
      const less = before.filter((field) => !list.includes(field))
      const sign = before.length > 0 ? '+ ' : ''
      return [more.length > 0 && sign + codes(more), less.length > 0 && `− ${codes(less)}`].filter(Boolean).join('; ')
    })
    return [code(entity), ...changes]
  })
  return table(['Shape', ...revisions.map(({ version }) => version)], rows)
}

const FACTS = [
  ['Era', ({ era }) => era],
  ['A completion knows what is filled in', ({ completionContext }) => yesNo(completionContext)],
  ['Several messages in one array', ({ batches }) => yesNo(batches)],
  ['Content blocks', ({ content }) => codes(content)],
  [
    'Structured content of a tool',
    ({ structuredContent }) => ({ none: '–', object: 'an object', any: 'any JSON' })[structuredContent],
  ],
  ['Forms for the user', ({ fields }) => yesNo(fields.elicitForm.length > 0)],
  ['URLs for the user', ({ fields }) => yesNo(fields.elicitUrl.length > 0)],
  [
    'Titles of options',
    ({ fields: { choiceField } }) =>
      choiceField.includes('oneOf') ? code('oneOf') : choiceField.length > 0 ? code('enumNames') : '–',
  ],
  ['A choice of several options', ({ fields }) => yesNo(fields.choicesField.length > 0)],
  [
    'Defaults in forms',
    ({ fields }) =>
      fields.stringField.includes('default') ? 'all fields' : fields.booleanField.includes('default') ? 'booleans' : '–',
  ],
  ['Content for the model', ({ sampling }) => codes(sampling.content)],
  ['Several blocks in one message', ({ sampling }) => yesNo(sampling.multipleBlocks)],
  ['`includeContext`', ({ sampling }) => ({ assumed: 'always', declared: 'when declared' })[sampling.context]],
]

const ERRORS = [
  ['A resource does not exist', ({ errors }) => code(errors.resourceNotFound)],
  [
    'Invalid tool arguments',
    ({ errors }) => ({ error: 'error `-32602`', result: 'result with `isError`' })[errors.invalidArguments],
  ],
  ['Error codes besides those of JSON-RPC', ({ errors }) => codes(errors.codes)],
]

const HTTP = [
  ['Transport', ({ http }) => http.transport],
  [
    '`MCP-Protocol-Version`',
    ({ http }) => ({ none: '–', session: 'after the handshake', always: 'every request' })[http.versionHeader],
  ],
  ['Sessions', ({ http }) => yesNo(http.sessions)],
  ['Headers that mirror the body', ({ http }) => yesNo(http.mirrorHeaders)],
  ['Status for an unknown method', ({ http }) => http.unknownMethod],
  ['A server may close a stream and be polled', ({ http }) => yesNo(http.polling)],
  ['A stream that breaks', ({ http }) => ({ nothing: 'changes nothing' })[http.disconnect] ?? http.disconnect],
]

function page(revisions) {
  return `<!-- Generated from packages/portcall/src/protocol/revisions.ts by tools/revisions-doc.mjs. -->
# Protocol versions

You write a server once, for the newest revision. A peer that speaks an older one receives only what that revision allows. Portcall generates these
tables from the data that it works with.

## Overview

${byRevision(revisions, '', FACTS)}

## Downgrades

| Not in an older revision | What its peers receive |
| --- | --- |
| A field of a tool, a resource, a prompt, a block … | It is omitted. A tool's \`title\` moves to its annotations where only those have one. |
| \`audio\` in a tool result or a prompt | An embedded resource with the same bytes and type. |
| \`resource_link\`, and blocks that no revision knows | An equivalent text block. |
| Structured content | A text block with its JSON, unless one is there already. |
| Structured content that is not an object | \`{ "result": value }\`; the output schema is wrapped too. |
| Invalid arguments, as a tool result | The error \`-32602\`. |
| Titled options (\`oneOf\`) in a form | \`enum\` with \`enumNames\`. |
| A choice of several options in a form | One boolean field per option; the response is converted back to a list. |
| Several blocks in one message for the model | Several messages of the same role. |
| Tools or audio for the model, a URL for the user | The request cannot be sent: the call fails with an error that says so. |
| The message of a progress notification | It is omitted. |

## Client requests

${presence(revisions, 'Method', ({ requests }) => requests)}

## Server requests

In the legacy era a server sends requests to the client; in the modern era it returns input requests in an \`input_required\` result.

${presence(revisions, 'Method', ({ serverRequests }) => serverRequests)}

## Server notifications

${presence(revisions, 'Method', ({ notifications }) => notifications)}

## Capabilities

Portcall sends and reads \`extensions\` in every revision, because peers of all revisions use it.

${presence(revisions, 'Server', ({ serverCapabilities }) => serverCapabilities)}

${presence(revisions, 'Client', ({ clientCapabilities }) => clientCapabilities)}

## Errors

${byRevision(revisions, '', ERRORS)}

## HTTP

${byRevision(revisions, '', HTTP)}

## Fields

Each column lists what its revision adds to (+) or removes from (−) the previous one.

${fieldChanges(revisions)}
`
}

const { REVISIONS } = await loadTable()
const fresh = page(REVISIONS)
if (process.argv.includes('--check')) {
  const report = createReport('docs/reference/protocol-versions.md')
  const same = existsSync(PAGE) && readText(PAGE) === fresh
  report.check('matches the table', same ? [] : ['run node tools/revisions-doc.mjs'])
  report.end()
} else writeFileSync(PAGE, fresh)
