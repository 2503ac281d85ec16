import type { DiagnoseOptions, Diagnosis, DiagnosisStepId, StepResult } from 'portcall/diagnostics'
import { sanitize } from '../../../util/src/printable.ts'
import { type Command, defineCommand, type ValuesOf } from '../command.ts'
import { readHeaderFlags, readSecondsFlag } from '../command-line/flag-values.ts'
import { CONNECTION_FLAGS } from '../command-line/flags.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import type { LinePart } from '../styled-line.ts'
import type { ResolvedTarget } from '../target/config-file.ts'

const FLAGS = {
  header: CONNECTION_FLAGS.header,
  env: CONNECTION_FLAGS.env,
  cwd: CONNECTION_FLAGS.cwd,
  timeout: {
    type: 'string',
    short: 't',
    value: 'SECONDS',
    description: 'Time to wait for the server in each step, in seconds (default: 4)',
  },
  'protocol-version': CONNECTION_FLAGS['protocol-version'],
  event: { type: 'string', value: 'NAME', description: 'Find out why a host receives no events of this type' },
  arguments: { type: 'string', value: 'JSON', description: 'With --event: the arguments of the subscription' },
  cursor: { type: 'string', value: 'CURSOR', description: 'With --event: the position that the host has saved' },
  webhook: { type: 'string', value: 'URL', description: 'With --event: the webhook of the host; subscribes with it' },
  secret: { type: 'string', value: 'SECRET', description: 'With --webhook: its secret, whsec_…; @FILE reads it' },
  delivery: {
    type: 'string',
    value: 'FILE',
    description: 'With --webhook: a refused delivery, as JSON with headers and body',
  },
  profile: {
    type: 'string',
    value: 'NAME',
    description: 'With --event: the text that the host follows, spec or chatgpt (default: spec)',
  },
  verbose: { type: 'boolean', short: 'v', description: 'Show the evidence of all steps, not only of those with problems' },
} as const

/** `portcall doctor` */
export const doctorCommand: Command = defineCommand({
  name: 'doctor',
  summary: 'Find out why a server does not work',
  serverUse: 'locate',
  args: [],
  details: [
    'Checks one thing after another: name, port, TLS, HTTP, authorization, protocol version, sessions, capabilities, lists, schemas, and the limits of hosts. For each it prints the verdict, what it has seen, and what to change. It does not call tools.',
    'The exit code depends on the first step that fails: 4 if the server cannot be reached or does not speak MCP, 6 if a sign-in is missing or the authorization metadata is wrong, 1 for all others. Warnings do not change it.',
  ],
  flags: FLAGS,
  examples: [
    'portcall doctor https://api.example.com/mcp',
    'portcall doctor .mcp.json:notes --verbose',
    'portcall doctor --json -- node server.js',
    'portcall doctor https://shop.example.com/mcp --event order.created --arguments \'{"region":"eu"}\'',
  ],
  async run({ server, flags, io }) {
    const { resolveTarget } = await import('../target/resolve.ts')
    const { diagnose } = await import('portcall/diagnostics')
    const resolved = await resolveTarget(server, flags)
    for await (const event of diagnose(resolved.target, await readOptions(resolved, flags, io))) {
      if (event.type === 'step-finished' && !io.json) printStep(event.result, flags.verbose, io)
      if (event.type === 'finished') return report(event.diagnosis, io)
    }
    return 'internal'
  },
})

async function readOptions({ target, headers }: ResolvedTarget, flags: ValuesOf<typeof FLAGS>, io: Io): Promise<DiagnoseOptions> {
  const stepTimeoutMs = flags.timeout === undefined ? undefined : readSecondsFlag('timeout', flags.timeout)
  const { storedProvider } = await import('../login/stored-login.ts')
  const auth = target instanceof URL ? await storedProvider(target) : undefined
  return {
    headers: { ...headers, ...readHeaderFlags(flags.header) },
    signal: io.signal,
    ...(auth && { auth }),
    ...(stepTimeoutMs !== undefined && { stepTimeoutMs }),
    ...(flags.event !== undefined && {
      events: await (await import('../events/diagnosed-events.ts')).readDiagnosedEvents(flags),
    }),
    ...(flags['protocol-version'] !== undefined && { protocolVersion: flags['protocol-version'] }),
  }
}

const MARKS: { readonly [verdict in StepResult['verdict']]: LinePart } = {
  passed: { tone: 'good', text: '✓' },
  warning: { tone: 'warning', text: '!' },
  failed: { tone: 'bad', text: '✗' },
  skipped: { tone: 'quiet', text: '-' },
}
const TITLE_WIDTH = 22
const INDENT = '    '
/** The column of summaries. */
const SUMMARY = TITLE_WIDTH + 3

const MAX_LINES = 10

function printStep({ title, verdict, summary, evidence, problems }: StepResult, verbose: boolean, io: Io): void {
  const isSkipped = verdict === 'skipped'
  io.print(
    [
      MARKS[verdict],
      ' ',
      { tone: isSkipped ? 'quiet' : 'strong', text: title.padEnd(TITLE_WIDTH) },
      isSkipped ? { tone: 'quiet', text: ` ${summary}` } : ` ${summary}`,
    ],
    SUMMARY,
  )
  const ordered = [...problems].sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
  for (const code of new Set(ordered.map((problem) => problem.code)))
    printProblems(
      ordered.filter((one) => one.code === code),
      summary,
      io,
    )
  if (!verbose && problems.length === 0) return
  for (const { label, value } of evidence) {
    const [first = '', ...rest] = sanitize(value).split('\n')
    io.print([INDENT, { tone: 'quiet', text: `${label}: ${first}` }], INDENT.length + 2)
    for (const text of rest) io.print([INDENT, { tone: 'quiet', text: `  ${text}` }], INDENT.length + 4)
  }
}

/** Prints problems of one kind, and what to change once. */
function printProblems(problems: StepResult['problems'], summary: string, io: Io): void {
  const others = problems.filter(({ message }) => message !== summary)
  for (const { severity, message } of others.slice(0, MAX_LINES))
    io.print([INDENT, MARKS[severity === 'error' ? 'failed' : 'warning'], ` ${message}`], INDENT.length + 2)
  if (others.length > MAX_LINES) io.print([INDENT, `  and ${others.length - MAX_LINES} more`])
  io.print([INDENT, { tone: 'strong', text: `→ ${problems[0]?.advice ?? ''}` }], INDENT.length + 2)
}

/** The exit code of a diagnosis, by the first step that failed. */
const EXIT_REASONS: { readonly [step in DiagnosisStepId]: ExitReason } = {
  target: 'usage',
  dns: 'unreachable',
  tcp: 'unreachable',
  tls: 'unreachable',
  http: 'unreachable',
  program: 'unreachable',
  authorization: 'unauthorized',
  'sign-in': 'unauthorized',
  era: 'unreachable',
  session: 'failed',
  capabilities: 'failed',
  lists: 'failed',
  schemas: 'failed',
  hosts: 'failed',
  events: 'failed',
}

const CONCLUSIONS: { readonly [verdict in Diagnosis['verdict']]: string } = {
  passed: 'No problems found.',
  warning: 'The server works, with the warnings above.',
  failed: 'Correct the first ✗, then run this command again.',
}

function report(diagnosis: Diagnosis, io: Io): ExitReason {
  if (io.json) io.value(diagnosis)
  else {
    io.print([])
    io.print([{ tone: diagnosis.verdict === 'passed' ? 'good' : 'strong', text: CONCLUSIONS[diagnosis.verdict] }])
  }
  return diagnosis.failedStep ? EXIT_REASONS[diagnosis.failedStep] : 'success'
}
