import type { JsonObject } from 'portcall/jsonrpc'
import { expect, test } from 'vitest'
import { judgeHosts } from '../../packages/portcall/src/diagnostics/quality/host-verdicts.ts'
import { HOST_PROFILES } from '../../packages/portcall/src/diagnostics/quality/hosts.ts'
import type { ServerInventory } from '../../packages/portcall/src/diagnostics/quality/inventory.ts'
import { MEASURED_HOSTS } from '../../packages/portcall/src/diagnostics/quality/measured-hosts.ts'
import type { Tool } from '../../packages/portcall/src/entrypoints/client.ts'
import { readRecording, regions } from './generate.ts'
import { ARGUMENT_PROBES, CHARACTER_PROBES, LENGTH_PROBES } from './probes/names.ts'
import type { ProbeTool } from './probes/probe-tool.ts'
import { ALONE_PROBES, ROOT_PROBES } from './probes/schemas.ts'
import { DESCRIPTION_PROBES } from './probes/texts.ts'
import programs from './programs/package.json' with { type: 'json' }
import { HOST_PROGRAMS } from './programs.ts'
import type { Treatment } from './recording.ts'
import { summarize } from './summary.ts'

const recording = readRecording()
const hosts = Object.keys(recording)

/** Returns the verdict on a server named `probe` with one tool. */
function verdictOf(host: string, { name, description, schema }: ProbeTool): string | undefined {
  const tool: Tool = { name, description, inputSchema: schema as Tool['inputSchema'] }
  const discovered = { serverInfo: { name: 'probe', version: '1' }, capabilities: {} } as unknown as ServerInventory['discovered']
  const verdicts = judgeHosts({ discovered, tools: [tool], resources: [], templates: [], prompts: [] })
  return verdicts.find((one) => one.host === host)?.verdict
}

/** Lists the probes about which the table disagrees with what was recorded. */
function disagreements<P extends ProbeTool>(host: string, probes: readonly P[], recorded: (probe: P) => string): string[] {
  return probes.flatMap((probe) => {
    const [table, real] = [verdictOf(host, probe), recorded(probe)]
    return table === real ? [] : [`${probe.id}: the table says ${table}, the recording ${real}`]
  })
}

test('each host that runs is recorded, in the version that is installed, and in the table', () => {
  const dependencies: { readonly [name: string]: string } = programs.dependencies
  expect(hosts).toEqual(HOST_PROGRAMS.map(({ host }) => host).sort((a, b) => a.localeCompare(b)))
  for (const { host, npm } of HOST_PROGRAMS) expect(recording[host]?.program).toBe(`${npm}@${dependencies[npm]}`)
  expect(HOST_PROFILES.map(({ host }) => host)).toEqual(expect.arrayContaining(hosts))
})

test('the table of measured hosts is what the recording says', () => {
  expect(MEASURED_HOSTS).toEqual(summarize(recording))
})

test.each(regions(recording))('the region $name of $page is what the recording says', ({ written, expected }) => {
  expect(written).toBe(expected)
})

test.each(hosts)('%s: the verdicts on names, arguments, descriptions and schemas are what it did', (host) => {
  const { names, arguments: args, texts, root, alone } = recording[host] as (typeof recording)[string]
  const added = names.form.replace('SERVER', 'probe').replace('TOOL', '').length
  const beyond = names.longer === 'left out' ? 'refuses' : 'changes'
  const ofCharacter = ({ kept, leftOut }: { kept: string; leftOut: string }, character: string): string =>
    kept.includes(character) || character === '-' ? 'accepts' : leftOut.includes(character) ? 'refuses' : 'changes'
  const ofArgument = (argument: string): string => {
    const character = /[^x]/.exec(argument.replace(/^a|b$/g, ''))?.[0]
    if (character !== undefined) return ofCharacter(args.characters, character)
    return args.longest !== null && argument.length > args.longest ? 'refuses' : 'accepts'
  }
  /** A schema that is closed for all tools is in the documentation, but no problem of a tool. */
  const judged = ROOT_PROBES.filter(({ keyword }) => keyword !== 'additionalProperties')
  const ofRoot = (treatment: Treatment<JsonObject> | undefined, keyword: string): string => {
    if (treatment === 'left out') return 'refuses'
    if (typeof treatment === 'object' && treatment.to.additionalProperties === false) return 'changes'
    const isShown =
      treatment === 'kept' ||
      ['title', '$defs'].includes(keyword) ||
      (typeof treatment === 'object' && Object.hasOwn(treatment.to, keyword))
    return isShown ? 'accepts' : 'changes'
  }
  expect([
    ...disagreements(host, LENGTH_PROBES, ({ length }) =>
      names.longest !== null && length + added > names.longest ? beyond : 'accepts',
    ),
    ...disagreements(host, CHARACTER_PROBES, ({ character }) => ofCharacter(names.characters, character)),
    ...disagreements(host, ARGUMENT_PROBES, ({ argument }) => ofArgument(argument)),
    ...disagreements(host, DESCRIPTION_PROBES, ({ length }) => (length > texts.description.whole ? 'changes' : 'accepts')),
    ...disagreements(host, judged, ({ keyword }) => ofRoot(root[keyword], keyword)),
    ...disagreements(host, ALONE_PROBES, ({ keyword }) => ofRoot(alone[keyword], keyword)),
  ]).toEqual([])
})
