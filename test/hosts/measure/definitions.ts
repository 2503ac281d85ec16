import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from 'portcall/jsonrpc'
import type { OfferedTool } from '../model-api/model-api.ts'
import { ARGUMENT_PROBES, CHARACTER_PROBES, FIRST_PROBES, LENGTH_PROBES } from '../probes/names.ts'
import { findOffered, keptLength, type ProbeTool } from '../probes/probe-tool.ts'
import { ALONE_PROBES, CLOSED_PROBE, NESTED_PROBES, PLAIN_PROBE, ROOT_PROBES, type SchemaProbe } from '../probes/schemas.ts'
import { ARGUMENT_TEXT_PROBES, DESCRIPTION_PROBES, INSTRUCTIONS } from '../probes/texts.ts'
import type { CharacterRecord, HostRecord, TextRecord, Treatment } from '../recording.ts'

type Offered = readonly OfferedTool[]

/** The name that the model sees. */
const fullName = ({ namespace, name }: OfferedTool): string => (namespace === undefined ? name : `${namespace}__${name}`)

const propertiesOf = ({ schema }: OfferedTool): JsonObject => (schema.properties ?? {}) as JsonObject

/** Reports what a host makes of the lengths and characters of names. */
export function measureNames(lengths: Offered, characters: Offered): HostRecord['names'] {
  const kept = LENGTH_PROBES.filter((probe) => findOffered(lengths, probe)?.name.endsWith(probe.name))
  const longest = Math.max(...kept.map(({ length }) => length))
  const example = LENGTH_PROBES.find(({ length }) => length === longest) as ProbeTool
  const form = fullName(findOffered(lengths, example) as OfferedTool).replace(example.name, 'TOOL')
  const beyond = LENGTH_PROBES.find(({ length }) => length > longest)
  return {
    form: form.replace('probe', 'SERVER'),
    longest: beyond ? form.length - 'TOOL'.length + longest : null,
    longer: beyond ? (findOffered(lengths, beyond) ? 'shortened' : 'left out') : null,
    characters: charactersOf(CHARACTER_PROBES, (probe) => nameTreatment(characters, probe)),
    first: charactersOf(FIRST_PROBES, (probe) => nameTreatment(lengths, probe)),
  }
}

function nameTreatment(offered: Offered, probe: ProbeTool): Treatment<string> {
  const found = findOffered(offered, probe)
  if (!found) return 'left out'
  return found.name.endsWith(probe.name) ? 'kept' : { to: found.name }
}

/** Sorts characters by what a host does with them. */
function charactersOf<P extends { readonly character: string }>(
  probes: readonly P[],
  treatmentOf: (probe: P) => Treatment<unknown>,
): CharacterRecord {
  const treatments = probes.map((probe) => [probe.character, treatmentOf(probe)] as const)
  const those = (matches: (treatment: Treatment<unknown>) => boolean): string =>
    treatments
      .filter(([, treatment]) => matches(treatment))
      .map(([character]) => character)
      .join('')
  return {
    kept: those((treatment) => treatment === 'kept'),
    replaced: those((treatment) => typeof treatment === 'object'),
    leftOut: those((treatment) => treatment === 'left out'),
  }
}

/** Reports what a host makes of the names of arguments. */
export function measureArguments(characters: Offered, schemas: Offered): Omit<HostRecord['arguments'], 'addedAreSent'> {
  const treatmentOf = (probe: (typeof ARGUMENT_PROBES)[number]): Treatment<readonly string[]> => {
    const found = findOffered(characters, probe)
    if (!found) return 'left out'
    const names = Object.keys(propertiesOf(found))
    return names.includes(probe.argument) ? 'kept' : { to: names }
  }
  const odd = ARGUMENT_PROBES.filter(({ argument }) => !argument.startsWith('x'))
  const long = ARGUMENT_PROBES.filter(({ argument }) => argument.startsWith('x'))
  const accepted = long.filter((probe) => treatmentOf(probe) === 'kept').map(({ argument }) => argument.length)
  return {
    characters: charactersOf(
      odd.map((probe) => ({ ...probe, character: probe.argument.slice(1, -1) })),
      treatmentOf,
    ),
    longest: accepted.length === long.length ? null : Math.max(...accepted),
    added: addedArguments(schemas),
  }
}

/** Returns the arguments that a tool without arguments has. */
export function addedArguments(schemas: Offered): string[] {
  const closed = findOffered(schemas, CLOSED_PROBE)
  return closed ? Object.keys(propertiesOf(closed)) : []
}

/** Reports how much of long texts reaches the model. */
export function measureTexts(
  texts: Offered,
  prompt: string,
): Pick<HostRecord['texts'], 'description' | 'argumentDescription' | 'instructions'> {
  return {
    description: textRecord(DESCRIPTION_PROBES.map((probe) => [probe.description, findOffered(texts, probe)?.description ?? ''])),
    argumentDescription: textRecord(
      ARGUMENT_TEXT_PROBES.map((probe) => {
        const found = findOffered(texts, probe)
        const { description } = (found && (propertiesOf(found).a as JsonObject)) ?? {}
        return [((probe.schema.properties as JsonObject).a as JsonObject).description as string, (description ?? '') as string]
      }),
    ),
    instructions: textRecord([[INSTRUCTIONS, prompt]]),
  }
}

/** Compares texts, shortest first, with those that contain what is left of them. */
export function textRecord(pairs: readonly (readonly [text: string, within: string])[]): TextRecord {
  const lengths = pairs.map(([text, within]) => [text.length, keptLength(text, within)] as const)
  const [longest, kept] = lengths.at(-1) ?? [0, 0]
  const whole = lengths.filter(([length, left]) => left === length).map(([length]) => length)
  return { whole: Math.max(0, kept, ...whole), kept, longest }
}

/** Reports what a host makes of schemas. What it does to every schema is not repeated. */
export function measureSchemas(schemas: Offered): Pick<HostRecord, 'plainSchema' | 'root' | 'alone' | 'nested'> {
  const added = addedArguments(schemas)
  const plain = findOffered(schemas, PLAIN_PROBE)
  const always = plain ? Object.keys(plain.schema).filter((keyword) => !(keyword in PLAIN_PROBE.schema)) : []
  const cleaned = (tool: OfferedTool): JsonObject => {
    const rest = Object.fromEntries(Object.entries(tool.schema).filter(([keyword]) => !always.includes(keyword)))
    const properties = Object.entries(propertiesOf(tool)).filter(([name]) => !added.includes(name))
    return { ...rest, ...(rest.properties !== undefined && { properties: Object.fromEntries(properties) }) }
  }
  const rootOf = (probe: SchemaProbe): Treatment<JsonObject> => {
    const offered = findOffered(schemas, probe)
    return compare(probe.schema, offered, cleaned) === 'kept' ? 'kept' : compare(probe.schema, offered, ({ schema }) => schema)
  }
  const nestedOf = (probe: SchemaProbe): Treatment<unknown> =>
    compare(
      (probe.schema.properties as JsonObject).value,
      findOffered(schemas, probe),
      (tool) => propertiesOf(tool).value ?? null,
    )
  return {
    plainSchema: compare(PLAIN_PROBE.schema, plain, ({ schema }) => schema),
    root: Object.fromEntries(ROOT_PROBES.map((probe) => [probe.keyword, rootOf(probe)])),
    alone: Object.fromEntries(ALONE_PROBES.map((probe) => [probe.keyword, rootOf(probe)])),
    nested: Object.fromEntries(NESTED_PROBES.map((probe) => [probe.keyword, nestedOf(probe)])),
  }
}

function compare<T>(sent: unknown, offered: OfferedTool | undefined, partOf: (tool: OfferedTool) => T): Treatment<T> {
  if (!offered) return 'left out'
  const to = partOf(offered)
  return isDeepStrictEqual(to, sent) ? 'kept' : { to }
}
