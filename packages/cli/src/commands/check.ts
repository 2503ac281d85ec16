import type { Client } from 'portcall/client'
import type { CardReport, HostEffect, HostVerdict, LintResult } from 'portcall/diagnostics'
import { isUrl } from '../../../util/src/parse-url.ts'
import { pluralize } from '../../../util/src/pluralize.ts'
import { levelsOf, printCard } from '../check/card.ts'
import { runConformance } from '../check/conformance.ts'
import { compareWithCard, printServerJson, readServerJson, type ServerJsonReport } from '../check/server-json.ts'
import { callTools, readPublished } from '../check/views.ts'
import { type Command, defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { resolveUrl } from '../login/stored-login.ts'
import { reportErrors } from '../report-error.ts'
import { withClient, withLister } from '../target/connect.ts'
import { reportIncomplete, type UnavailableServers } from '../target/unavailable-servers.ts'

/** `portcall check` */
export const checkCommand: Command = defineCommand({
  name: 'check',
  summary: 'Lint a server for host compatibility',
  serverUse: 'connect',
  args: [],
  details: [
    "Reports names and schemas that hosts reject, what each known host does with them, missing descriptions and contradictory annotations, and estimates how many tokens the tools take in a model's context. It calls only the tools that --call names.",
    'Declares all capabilities of clients, because some servers list tools only for clients that answer their input requests or show views. With --call, it declares only those that it has, and views.',
    'Reads the views of tools (MCP Apps) and reports what leaves their frames empty: the page, its policy and its metadata. Some faults show only in comparison with the published version, which --since names, and in results.',
    'Notes say what hosts do to correct tools: the half of a result that the model does not see, keywords that are removed from schemas, and arguments that are added. They do not change the exit code.',
    'The exit code is 1 if there are errors; with --strict, also if there are warnings.',
  ],
  flags: {
    card: { type: 'boolean', description: 'Also compare the server card with the server; only for a URL' },
    'server-json': {
      type: 'string',
      value: 'FILE',
      description: 'With --card, also compare the server.json of the registry with the card',
    },
    since: {
      type: 'string',
      value: 'FILE',
      description:
        'A snapshot of the published version (see portcall snapshot): reports views that have changed under the same URI',
    },
    call: {
      type: 'string',
      multiple: true,
      value: 'CALL',
      description: "Call a tool with a view, as in 'sales year=2025', and check its result; repeatable",
    },
    strict: { type: 'boolean', description: 'Treat warnings as errors' },
    conformance: {
      type: 'boolean',
      description: 'Also run the official conformance suite, if it is installed in this directory; only for a URL',
    },
  },
  examples: [
    'portcall check http://127.0.0.1:3000/mcp',
    'portcall check https://api.example.com/mcp --card',
    'portcall check https://api.example.com/mcp --card --server-json server.json',
    'portcall check server.js --strict --json',
    "portcall check server.js --since released.json --call 'sales year=2025'",
  ],
  async run({ flags, io, ...invocation }) {
    const url = flags.conformance || flags.card ? await resolveUrl(invocation.server) : undefined
    const { examineCard, lint, readInventory, VIEW_CAPABILITIES: capabilities } = await import('portcall/diagnostics')
    const serverJson = await readServerJson(flags)
    const since = flags.since === undefined ? undefined : await readPublished(flags.since)
    const location = 'location' in invocation.server ? invocation.server.location : ''
    const connection = { ...invocation, flags, io }
    const read = async (client: Client, unavailable: UnavailableServers) => {
      const { inventory, failures } = await readInventory(client)
      const results = await callTools(flags.call, client)
      const known = { ...(since && { since }), ...(isUrl(location) && { url: location }), results }
      const card = flags.card && url ? await examineCard({ url: new URL(url), client, signal: io.signal }) : undefined
      return { result: await lint(inventory, known), card, errors: failures.map(({ error }) => error), unavailable }
    }
    // Tools that are called must not ask for input that nobody answers.
    const { result, card, errors, unavailable } = await (flags.call.length === 0
      ? withLister(connection, read)
      : withClient({ ...connection, capabilities }, read))
    const document = serverJson && { ...serverJson, problems: await compareWithCard(serverJson, card) }
    printFindings(result, { card, document }, io)
    const unread = reportErrors(errors, io.json) ?? reportIncomplete(unavailable, io)
    const failures = result.findings.filter(({ level }) => level === 'error' || flags.strict)
    const conforms = url && flags.conformance ? await runConformance(url, io.signal) : true
    const isCardWrong = card !== undefined && levelsOf(card).some((level) => level === 'error' || flags.strict)
    const isDocumentWrong = document !== undefined && document.problems.length > 0
    return failures.length > 0 || isCardWrong || isDocumentWrong || !conforms ? 'failed' : (unread ?? 'success')
  },
})

const INDENT = '  '

/** The documents that describe the server, as far as they were asked for. */
interface CheckedDocuments {
  readonly card: CardReport | undefined
  readonly document: ServerJsonReport | undefined
}

function printFindings(
  { findings, toolTokens, tokensByTool, hosts, notes }: LintResult,
  { card, document }: CheckedDocuments,
  io: Io,
): void {
  if (io.json)
    return io.value({
      findings,
      toolTokens,
      tokensByTool,
      hosts,
      notes,
      ...(card && { card }),
      ...(document && { serverJson: document.problems }),
    })
  const errors = findings.filter(({ level }) => level === 'error')
  const ordered = [...errors, ...findings.filter(({ level }) => level === 'warning')]
  for (const rule of new Set(ordered.map((finding) => finding.rule)))
    printRule(
      ordered.filter((finding) => finding.rule === rule),
      hosts,
      io,
    )
  if (findings.length > 0) io.print([])
  for (const note of notes) printNote(note, io)
  if (notes.length > 0) io.print([])
  const accepting = hosts.filter(({ verdict }) => verdict === 'accepts').map(({ host }) => host)
  if (accepting.length > 0) io.print([`accepted as it is by ${accepting.join(', ')}`], INDENT.length)
  const warnings = findings.length - errors.length
  io.print([
    {
      tone: errors.length > 0 ? 'bad' : 'strong',
      text: `${pluralize(errors.length, 'error')}, ${pluralize(warnings, 'warning')}`,
    },
    `; the tools take about ${toolTokens} tokens`,
  ])
  if (card) printCard(card, io)
  if (document) printServerJson(document, io)
}

/** Prints the findings of one rule, then once what to change and which hosts care. */
function printRule(findings: LintResult['findings'], hosts: readonly HostVerdict[], io: Io): void {
  for (const { level, where, rule, message } of findings) {
    const tone = level === 'error' ? 'bad' : 'warning'
    io.print([{ tone, text: `${level}:` }, ` ${where}: ${message}`, { tone: 'quiet', text: ` [${rule}]` }], INDENT.length)
  }
  const [first] = findings
  io.print([INDENT, { tone: 'strong', text: `→ ${first?.advice ?? ''}` }], INDENT.length + 2)
  const by = (effect: HostEffect): string =>
    hosts
      .filter(({ problems }) => problems.some((problem) => problem.rule === first?.rule && problem.effect === effect))
      .map(({ host }) => host)
      .join(', ')
  const effects = [by('refuses') && `refused by ${by('refuses')}`, by('changes') && `changed by ${by('changes')}`]
  const line = effects.filter(Boolean).join('; ')
  if (line) io.print([INDENT, line], INDENT.length + 2)
}

const MAX_NAMES = 5

/** Prints what hosts do to correct tools, and what to do about it. */
function printNote({ rule, message, advice, tools }: LintResult['notes'][number], io: Io): void {
  const more = tools.length > MAX_NAMES ? ` and ${tools.length - MAX_NAMES} more` : ''
  const names = `tool${tools.length > 1 ? 's' : ''} ${tools.slice(0, MAX_NAMES).join(', ')}${more}`
  io.print([{ tone: 'strong', text: 'note:' }, ` ${names}: ${message}`, { tone: 'quiet', text: ` [${rule}]` }], INDENT.length)
  io.print([INDENT, { tone: 'strong', text: `→ ${advice}` }], INDENT.length + 2)
}
