import type { HostVerdict, LintResult } from '../../entrypoints/diagnostics.ts'
import { runConformance } from '../check/conformance.ts'
import { type Command, defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { resolveUrl } from '../stored-login.ts'
import { withClient } from '../target/connect.ts'

/** `portcall check` */
export const checkCommand: Command = defineCommand({
  name: 'check',
  summary: 'Lint a server for host compatibility',
  serverUse: 'connect',
  args: [],
  details: [
    "Reports names and schemas that hosts reject, what each known host does with them, missing descriptions and contradictory annotations, and estimates how many tokens the tools take in a model's context. It does not call tools.",
    'The exit code is 1 if there are errors; with --strict, also if there are warnings.',
  ],
  flags: {
    strict: { type: 'boolean', description: 'Treat warnings as errors' },
    conformance: {
      type: 'boolean',
      description: 'Also run the official conformance suite, if it is installed in this directory; only for a URL',
    },
  },
  examples: ['portcall check http://127.0.0.1:3000/mcp', 'portcall check server.js --strict --json'],
  async run({ flags, io, ...invocation }) {
    const url = flags.conformance ? await resolveUrl(invocation.server) : undefined
    const { lint, readInventory } = await import('../../entrypoints/diagnostics.ts')
    const result = await withClient({ ...invocation, flags, io }, async (client) => {
      const { inventory, failures } = await readInventory(client)
      for (const { error } of failures) throw error
      return lint(inventory)
    })
    printFindings(result, io)
    const failures = result.findings.filter(({ level }) => level === 'error' || flags.strict)
    const conforms = url ? await runConformance(url, io.signal) : true
    return failures.length > 0 || !conforms ? 'failed' : 'success'
  },
})

const INDENT = '  '

function printFindings({ findings, toolTokens, tokensByTool, hosts }: LintResult, io: Io): void {
  if (io.json) return io.value({ findings, toolTokens, tokensByTool, hosts })
  const errors = findings.filter(({ level }) => level === 'error')
  const ordered = [...errors, ...findings.filter(({ level }) => level === 'warning')]
  for (const rule of new Set(ordered.map((finding) => finding.rule)))
    printRule(
      ordered.filter((finding) => finding.rule === rule),
      io,
    )
  if (findings.length > 0) io.print([])
  printHosts(hosts, io)
  const warnings = findings.length - errors.length
  io.print([
    { tone: errors.length > 0 ? 'bad' : 'strong', text: `${count(errors.length, 'error')}, ${count(warnings, 'warning')}` },
    `; the tools take about ${toolTokens} tokens`,
  ])
}

/** Prints the findings of one rule, and what to change once. */
function printRule(findings: LintResult['findings'], io: Io): void {
  for (const { level, where, rule, message } of findings) {
    const tone = level === 'error' ? 'bad' : 'warning'
    io.print([{ tone, text: `${level}:` }, ` ${where}: ${message}`, { tone: 'quiet', text: ` [${rule}]` }], INDENT.length)
  }
  io.print([INDENT, { tone: 'strong', text: `→ ${findings[0]?.advice ?? ''}` }], INDENT.length + 2)
}

/** Prints what each host does with which tools, and the source. */
function printHosts(hosts: readonly HostVerdict[], io: Io): void {
  for (const { host, problems } of hosts)
    for (const { effect, tool, message, advice, source } of problems)
      io.print(
        [
          { tone: 'strong', text: host },
          ` ${effect} ${tool === undefined ? 'some tools' : `tool ${tool}`}: ${message}. ${advice}`,
          { tone: 'quiet', text: ` [${source}]` },
        ],
        INDENT.length,
      )
  const accepting = hosts.filter(({ verdict }) => verdict === 'accepts').map(({ host }) => host)
  if (accepting.length > 0) io.print([`accepted as it is by ${accepting.join(', ')}`], INDENT.length)
}

const count = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`
