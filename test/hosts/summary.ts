import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from 'portcall/jsonrpc'
import type { MeasuredHost } from '../../packages/portcall/src/diagnostics/quality/measured-hosts.ts'
import type { CharacterRecord, HostRecord, Recording, TextRecord, Treatment } from './recording.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Returns what the table of host limits says of each host that was run. */
export function summarize(recording: Recording): MeasuredHost[] {
  return Object.entries(recording).map(([host, record]) => ({
    host,
    program: record.program,
    checked: dayOf(record.measured),
    ...namesOf(record),
    ...argumentsOf(record),
    ...textsOf(record),
    ...(record.tools < 300 && { tools: record.tools }),
    ...schemasOf(record),
    ...resultsOf(record),
  }))
}

function dayOf(iso: string): string {
  const [year, month, day] = iso.split('-').map(Number)
  return `${day} ${MONTHS[(month ?? 1) - 1]} ${year}`
}

const effectOf = (characters: CharacterRecord): 'changes' | 'refuses' => (characters.leftOut === '' ? 'changes' : 'refuses')

function namesOf({ names }: HostRecord): Partial<MeasuredHost> {
  const { form, longest, longer, characters } = names
  return {
    ...(longest !== null && { name: { form, most: longest, effect: longer === 'left out' ? 'refuses' : 'changes' } }),
    ...(characters.replaced + characters.leftOut !== '' && {
      nameCharacters: { kept: characters.kept, effect: effectOf(characters) },
    }),
  }
}

function argumentsOf({ arguments: args }: HostRecord): Partial<MeasuredHost> {
  const { characters, longest, added, addedAreSent } = args
  const isLimited = characters.replaced + characters.leftOut !== '' || longest !== null
  return {
    ...(isLimited && {
      argumentNames: { kept: characters.kept, ...(longest !== null && { most: longest }), effect: effectOf(characters) },
    }),
    ...(addedAreSent && { addedArguments: added }),
  }
}

const limitOf = ({ whole, longest }: TextRecord): number | undefined => (whole < longest ? whole : undefined)

function textsOf({ texts }: HostRecord): Partial<MeasuredHost> {
  const limits = {
    description: limitOf(texts.description),
    argumentDescription: limitOf(texts.argumentDescription),
    instructions: limitOf(texts.instructions),
    result: limitOf(texts.result),
  }
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))
}

/** Keywords of which the model needs to know nothing. */
const HARMLESS: ReadonlySet<string> = new Set(['title', '$defs', 'examples', 'x-other', 'no properties', 'no type'])

const isLost = (keyword: string, treatment: Treatment<unknown>): boolean => {
  if (HARMLESS.has(keyword) || treatment === 'kept') return false
  return treatment === 'left out' || !JSON.stringify(treatment.to).includes(`"${keyword}"`)
}

/** A closed schema without properties that requires some accepts nothing. */
const acceptsNothing = (treatment: Treatment<JsonObject> | undefined): boolean =>
  typeof treatment === 'object' &&
  treatment.to.additionalProperties === false &&
  isDeepStrictEqual(treatment.to.properties ?? {}, {})

function schemasOf({ root, alone, nested }: HostRecord): Partial<MeasuredHost> {
  const lost = (treatments: { readonly [keyword: string]: Treatment<unknown> }): string[] =>
    Object.keys(treatments).filter((keyword) => isLost(keyword, treatments[keyword] as Treatment<unknown>))
  const refused = Object.keys(root).filter((keyword) => root[keyword] === 'left out')
  const changed = lost(root).filter((keyword) => !refused.includes(keyword))
  const broken = Object.keys(alone).filter((keyword) => acceptsNothing(alone[keyword]))
  const dropped = lost(nested).filter((keyword) => /^\w+$/.test(keyword) && keyword !== 'const')
  return {
    ...(refused.length > 0 && { rootRefused: refused }),
    ...(changed.length > 0 && { rootChanged: changed }),
    ...(broken.length > 0 && { rootBroken: broken }),
    ...(dropped.length > 0 && { keywordsLost: dropped }),
  }
}

function resultsOf({ results }: HostRecord): Pick<MeasuredHost, 'withStructured'> {
  const { text_and_structured: both = [], image_and_structured: withImage = [], error_and_structured: failed = [] } = results
  const parts = (['text', 'structured'] as const).filter((part) => both.includes(part))
  return { withStructured: { parts, image: withImage.includes('image'), reason: failed.includes('text') } }
}
