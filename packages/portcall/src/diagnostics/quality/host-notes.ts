import { isObject } from '../../jsonrpc/message.ts'
import type { Tool } from '../../protocol/types.ts'
import { adviceOf } from './advice.ts'
import type { ServerInventory } from './inventory.ts'
import { MEASURED_HOSTS, type MeasuredHost } from './measured-hosts.ts'
import { keywordsBelow } from './schema-rules.ts'

/** A change that hosts make to tools that are correct. */
export interface HostNote {
  /** The stable name of the rule. */
  readonly rule: string
  /** The effect. */
  readonly message: string
  /** Advice for the author of the server. */
  readonly advice: string
  /** The hosts that do it. */
  readonly hosts: readonly string[]
  /** The tools that it is about. */
  readonly tools: readonly string[]
}

/** Reports what the model would not see of correct tools, and what hosts add to their calls. */
export function hostNotes({ tools }: Pick<ServerInventory, 'tools'>): HostNote[] {
  return [...addedArguments(tools), ...resultHalves(tools), ...hiddenKeywords(tools), ...hyphens(tools)]
}

/** Returns a note, or nothing if no host or no tool is concerned. */
function noteOf(about: Pick<HostNote, 'rule' | 'message'>, hosts: readonly MeasuredHost[], tools: readonly Tool[]): HostNote[] {
  if (hosts.length === 0 || tools.length === 0) return []
  return [{ ...about, advice: adviceOf(about.rule), hosts: hosts.map(({ host }) => host), tools: tools.map(({ name }) => name) }]
}

/** An argument that a host adds fails in a tool whose schema forbids it, unless the server drops it. */
function addedArguments(tools: readonly Tool[]): HostNote[] {
  const hosts = MEASURED_HOSTS.filter(({ addedArguments: added = [] }) => added.length > 0)
  return hosts.flatMap((measured) => {
    const added = measured.addedArguments ?? []
    const message = `${measured.host} adds ${added.join(', ')} to the arguments of calls, which these schemas forbid`
    return noteOf({ rule: 'added-argument', message }, [measured], tools.filter(isClosed))
  })
}

const isClosed = ({ inputSchema }: Tool): boolean =>
  isObject(inputSchema) && (inputSchema.additionalProperties === false || inputSchema.unevaluatedProperties === false)

/** Of a result with structured content and other content, each host shows the model another half. */
function resultHalves(tools: readonly Tool[]): HostNote[] {
  const structured = tools.filter(({ outputSchema }) => outputSchema !== undefined)
  const only = (part: 'text' | 'structured'): MeasuredHost[] =>
    MEASURED_HOSTS.filter(({ withStructured: { parts } }) => parts.length === 1 && parts[0] === part)
  const noImage = MEASURED_HOSTS.filter(({ withStructured: { image } }) => !image)
  const said = [
    [only('structured'), 'show the model structuredContent but not the text of content'],
    [only('text'), 'show it content but not structuredContent'],
    [noImage, 'show it no images beside structuredContent'],
  ] as const
  const lines = said
    .filter(([hosts]) => hosts.length > 0)
    .map(([hosts, does]) => `${hosts.map(({ host }) => host).join(', ')} ${does}`)
  const hosts = MEASURED_HOSTS.filter((measured) => said.some(([those]) => those.includes(measured)))
  return noteOf({ rule: 'result-halves', message: lines.join('; ') }, hosts, structured)
}

function hiddenKeywords(tools: readonly Tool[]): HostNote[] {
  return MEASURED_HOSTS.flatMap((measured) => {
    const lost = new Set(measured.keywordsLost)
    const used = tools.map((tool) => [tool, isObject(tool.inputSchema) ? keywordsBelow(tool.inputSchema) : new Set()] as const)
    const affected = used.filter(([, keywords]) => [...lost].some((keyword) => keywords.has(keyword)))
    const keywords = [...lost].filter((keyword) => affected.some(([, those]) => those.has(keyword)))
    const message = `${measured.host} removes ${keywords.join(', ')} from the schemas of arguments`
    const concerned = affected.map(([tool]) => tool)
    return noteOf({ rule: 'keywords-hidden', message }, [measured], concerned)
  })
}

function hyphens(tools: readonly Tool[]): HostNote[] {
  const hosts = MEASURED_HOSTS.filter(({ nameCharacters }) => nameCharacters && !nameCharacters.kept.includes('-'))
  const concerned = tools.filter(({ name }) => name.includes('-'))
  const message = `${hosts.map(({ host }) => host).join(', ')}: the model sees _ in place of - in names`
  return noteOf({ rule: 'hyphen-replaced', message }, hosts, concerned)
}
