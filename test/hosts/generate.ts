import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from 'portcall/jsonrpc'
import { PLAIN_PROBE } from './probes/schemas.ts'
import type { Recording, Treatment } from './recording.ts'
import { summarize } from './summary.ts'

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const read = (path: string): string => readFileSync(at(path), 'utf8')

const RECORDING = 'test/hosts/recording.json'
const TABLE = 'packages/portcall/src/diagnostics/quality/measured-hosts.ts'
const TABLE_START = '/** The hosts that were run. */'

/** The text between two comments in the documentation, by page and name. */
const REGIONS: readonly { readonly page: string; readonly name: string; readonly render: (recording: Recording) => string }[] = [
  { page: 'docs/servers/tools.md', name: 'results', render: renderResults },
  { page: 'docs/reference/hosts.md', name: 'limits', render: renderLimits },
  { page: 'docs/reference/hosts.md', name: 'results', render: renderResults },
  { page: 'docs/reference/hosts.md', name: 'protocol', render: renderProtocol },
]

const regionOf = (name: string): RegExp => new RegExp(`(<!-- hosts: ${name} -->\\n)[^]*?(\\n<!-- hosts: end -->)`)

export const readRecording = (): Recording => JSON.parse(read(RECORDING)) as Recording

/** Writes the recording, and the parts of other files that come from it. */
export function writeRecording(recording: Recording): void {
  writeFileSync(at(RECORDING), `${JSON.stringify(recording, null, 2)}\n`)
  const table = read(TABLE)
  writeFileSync(at(TABLE), table.slice(0, table.indexOf(TABLE_START)) + renderTable(recording))
  for (const { page, name, render } of REGIONS) {
    const text = read(page).replace(
      regionOf(name),
      (_all, start: string, end: string) => `${start}\n${render(recording)}\n${end}`,
    )
    writeFileSync(at(page), text)
  }
}

/** Returns the regions of the documentation: what is there, and what the recording says. */
export function regions(recording: Recording): { page: string; name: string; written: string | undefined; expected: string }[] {
  return REGIONS.map(({ page, name, render }) => {
    const [all, start = '', end = ''] = regionOf(name).exec(read(page)) ?? []
    return { page, name, written: all?.slice(start.length, all.length - end.length), expected: `\n${render(recording)}\n` }
  })
}

function renderTable(recording: Recording): string {
  return `${TABLE_START}\nexport const MEASURED_HOSTS: readonly MeasuredHost[] = ${JSON.stringify(summarize(recording), null, 2)}\n`
}

const code = (text: string): string => `\`${text}\``
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

/** The results in the table of the documentation, with what to call them. */
const RESULTS: { readonly [result: string]: string } = {
  text_and_structured: 'text and structured content',
  only_structured: 'structured content alone',
  image_and_structured: 'text, an image and structured content',
  error_and_structured: 'an error: text and structured content',
  image: 'text and an image',
  audio: 'text and audio',
  link: 'text and a link',
  embedded_text: 'text and an embedded text file',
  embedded_blob: 'text and an embedded binary file',
  audience: 'a text for the user, and one for the assistant',
}

const CALLED: { readonly [part: string]: string } = {
  structured: 'structured content',
  file: 'the file',
  blob: 'the file',
  link: 'the link',
  'text for the user': 'both',
  'text for the assistant': 'both',
}

/** Renders what each host shows its model of each kind of result. */
function renderResults(recording: Recording): string {
  const rows = Object.entries(RESULTS).map(([result, title]) => {
    const cells = Object.values(recording).map(({ results }) => {
      const parts = [...new Set((results[result] ?? []).map((part) => CALLED[part] ?? part))]
      return parts.length > 0 ? parts.join(', ') : '**nothing**'
    })
    return [title, ...cells]
  })
  return table(['The tool returns', ...Object.keys(recording)], rows)
}

const count = (value: number): string => value.toLocaleString('en')

/** Lists the keywords that a host adds to a plain schema. */
function addedKeywords(plain: Treatment<JsonObject> | undefined): string {
  if (typeof plain !== 'object') return 'nothing'
  const added = Object.entries(plain.to).filter(([keyword]) => !Object.hasOwn(PLAIN_PROBE.schema, keyword))
  return added.map(([keyword, value]) => code(`${keyword}: ${JSON.stringify(value)}`)).join(' ') || 'nothing'
}

/** Renders the limits of each host. */
function renderLimits(recording: Recording): string {
  const hosts = summarize(recording)
  const limit = (value: number | undefined): string => (value === undefined ? 'no limit found' : `${count(value)} characters`)
  const facts: readonly (readonly [string, (host: (typeof hosts)[number]) => string])[] = [
    ['version', ({ program }) => program.slice(program.lastIndexOf('@') + 1)],
    [
      'name of a tool',
      ({ name }) =>
        name
          ? `${name.most} characters with ${code(name.form.replace('TOOL', ''))}; longer ones are ${name.effect === 'refuses' ? 'left out' : 'shortened'}`
          : 'no limit found',
    ],
    [
      'characters of names',
      ({ nameCharacters }) =>
        nameCharacters ? `letters, digits, ${[...nameCharacters.kept].map(code).join(' ')}; others become ${code('_')}` : 'all',
    ],
    [
      'names of arguments',
      ({ argumentNames }) =>
        argumentNames
          ? `letters, digits, ${[...argumentNames.kept].map(code).join(' ')}, at most ${argumentNames.most}; otherwise the tool is left out`
          : 'all',
    ],
    ['description of a tool', ({ description }) => limit(description)],
    ['description of an argument', ({ argumentDescription }) => limit(argumentDescription)],
    ['instructions', ({ instructions }) => limit(instructions)],
    [
      'text of a result',
      ({ result }) => (result === undefined ? 'no limit found' : `${count(result)} characters or a little more`),
    ],
    ['keywords at the root that the model does not see', ({ rootChanged = [] }) => rootChanged.map(code).join(' ') || 'none'],
    [
      'keywords in place of `properties` with which the schema accepts nothing',
      ({ rootBroken = [] }) => rootBroken.map(code).join(' ') || 'none',
    ],
    ['keywords of arguments that the model does not see', ({ keywordsLost = [] }) => keywordsLost.map(code).join(' ') || 'none'],
    ['added to every schema', ({ host }) => addedKeywords(recording[host]?.plainSchema)],
    ['added arguments', ({ addedArguments = [] }) => addedArguments.map(code).join(' ') || 'none'],
  ]
  return table(
    ['', ...hosts.map(({ host }) => host)],
    facts.map(([title, tell]) => [title, ...hosts.map(tell)]),
  )
}

/** Renders how each host speaks to servers. */
function renderProtocol(recording: Recording): string {
  const facts: readonly (readonly [string, (wire: Recording[string]['wire']) => string])[] = [
    ['protocol version', ({ protocolVersion }) => protocolVersion],
    ['capabilities', ({ capabilities }) => Object.keys(capabilities).sort().map(code).join(' ') || 'none'],
    ['`MCP-Protocol-Version` over HTTP', ({ headers }) => (headers.includes('mcp-protocol-version') ? 'sent' : 'not sent')],
    ['a call that takes too long', ({ cancels }) => cancels.replace('notifications/cancelled', code('notifications/cancelled'))],
    [
      'calls that were answered',
      ({ cancelsAnswered }) => (cancelsAnswered ? `${code('notifications/cancelled')} follows, too` : '–'),
    ],
    ['members that it adds to `_meta` of calls', ({ callMeta }) => callMeta.map(code).join(' ') || 'none'],
  ]
  return table(
    ['', ...Object.keys(recording)],
    facts.map(([title, tell]) => [title, ...Object.values(recording).map(({ wire }) => tell(wire))]),
  )
}
