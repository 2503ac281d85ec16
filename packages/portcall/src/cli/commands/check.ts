import { type Checked, checkOffer } from '../check/check.ts'
import { runConformance } from '../check/conformance.ts'
import { readOffer } from '../check/offer.ts'
import { type Command, defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { endpointOf } from '../login/endpoint.ts'
import { plainLine } from '../show/plain.ts'
import { withClient } from '../target/open.ts'

/** `portcall check`: what hosts refuse or misunderstand. */
export const check: Command = defineCommand({
  name: 'check',
  summary: 'Looks for what hosts refuse or misunderstand',
  takes: 'target',
  words: [],
  details: [
    `Looks at names and schemas that hosts refuse, at missing descriptions, at annotations that contradict each other, and at about how many
tokens the tools cost a model. Nothing is called. An error makes it end with exit code 1; warnings do not, unless --strict is given.`,
  ],
  flags: {
    strict: { type: 'boolean', description: 'Warnings count as errors' },
    conformance: {
      type: 'boolean',
      description: 'Run the official conformance suite too, if it is installed in this folder; for a URL only',
    },
  },
  examples: ['portcall check http://127.0.0.1:3000/mcp', 'portcall check server.js --strict --json'],
  async run({ flags, io, ...given }) {
    const url = flags.conformance ? await endpointOf(given.target) : undefined
    const checked = await withClient({ ...given, flags, io }, async (client) => checkOffer(await readOffer(client)))
    show(checked, io)
    const counted = checked.findings.filter(({ level }) => level === 'error' || flags.strict)
    const conforms = url ? await runConformance(url, io.signal) : true
    return counted.length > 0 || !conforms ? 'failed' : 'done'
  },
})

function show({ findings, toolTokens }: Checked, io: Io): void {
  if (io.json) return io.value({ findings, toolTokens })
  for (const { level, where, rule, message } of findings) io.data(plainLine(`${level}: ${where}: ${message} [${rule}]`))
  const errors = findings.filter(({ level }) => level === 'error').length
  const [wrong, doubtful] = [counted(errors, 'error'), counted(findings.length - errors, 'warning')]
  io.data(`${wrong}, ${doubtful}; the tools cost about ${toolTokens} tokens`)
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
