import type { ViewCsp } from '../../../protocol/apps.ts'
import { isLocal } from '../../../views/is-local.ts'
import type { ScriptLiteral, ScriptText } from './script-text.ts'

/** An address that a page uses. */
export interface FileUse {
  readonly address: string
  /** The list of the policy that has to name its origin. */
  readonly list: keyof ViewCsp
  /** The user of the address, such as `fetch` or `<img>`. */
  readonly by: string
  /** True if it starts at the address of the page. */
  readonly isRelative?: boolean
  /** True if it is the name of a package, which browsers do not know. */
  readonly isPackage?: boolean
}

/** A script of a page. */
export interface PageScript extends ScriptText {
  readonly isModule: boolean
}

/** The code before a literal that makes it an address, read up to `LOOK_BEHIND` characters back. */
const PLACES: readonly { readonly before: RegExp; readonly list: keyof ViewCsp; readonly by: string }[] = [
  { before: /(?:^|[^\w$])fetch\s*\(\s*$/, list: 'connectDomains', by: 'fetch' },
  { before: /\bnew\s+WebSocket\s*\(\s*$/, list: 'connectDomains', by: 'WebSocket' },
  { before: /\bnew\s+EventSource\s*\(\s*$/, list: 'connectDomains', by: 'EventSource' },
  { before: /\bsendBeacon\s*\(\s*$/, list: 'connectDomains', by: 'sendBeacon' },
  { before: /\.open\s*\(\s*(["'`])\s*\1\s*,\s*$/, list: 'connectDomains', by: 'XMLHttpRequest' },
  { before: /\baxios\s*(?:\.\s*[a-z]+\s*)?\(\s*$/, list: 'connectDomains', by: 'axios' },
  { before: /(?:^|[^\w$.])import(?:\s*\()?\s*$/, list: 'resourceDomains', by: 'import' },
  { before: /(?:^|[^\w$.])from\s*$/, list: 'resourceDomains', by: 'import' },
  { before: /\bnew\s+(?:Shared)?Worker\s*\(\s*$/, list: 'resourceDomains', by: 'Worker' },
  { before: /\bimportScripts\s*\(\s*$/, list: 'resourceDomains', by: 'importScripts' },
  { before: /frame\w?\.src\s*=\s*$/i, list: 'frameDomains', by: '<iframe>' },
  { before: /\.src\s*=\s*$/, list: 'resourceDomains', by: 'src' },
]
const FRAME = { list: 'frameDomains', by: '<iframe>' } as const
const LOOK_BEHIND = 60
const ADDRESS = /^(?:(?:https?|wss?):)?\/\/[a-z0-9]/i
/** The address has a complete host: a substitution after it does not change it. */
const HOST_END = /^[a-z]*:?\/\/[^/?#]+[/?#]/i

/** Returns the addresses that scripts use: literals in the calls above, and constants in calls of `fetch`. */
export function readUses(scripts: readonly PageScript[], hasImportMap: boolean): FileUse[] {
  const constants = readConstants(scripts)
  const frames = new Set(scripts.flatMap(framesIn))
  return scripts.flatMap((script) => [
    ...script.literals.flatMap((literal) => useOf(literal, script, { hasImportMap, frames })),
    ...[...script.code.matchAll(FETCHED_NAME)].flatMap(([, name = '']): FileUse[] => {
      const address = constants.get(name)
      return address === undefined ? [] : [{ address, list: 'connectDomains', by: 'fetch' }]
    }),
  ])
}

interface KnownNames {
  readonly hasImportMap: boolean
  /** The names of elements that scripts create as `iframe`. */
  readonly frames: ReadonlySet<string>
}

const CREATED = /(?:^|[^\w$.])([A-Za-z_$][\w$]*)\s*=\s*[\w$.]{0,20}createElement\s*\(\s*$/
const SET_SOURCE = /(?:^|[^\w$.])([A-Za-z_$][\w$]*)\.src\s*=\s*$/

/** Returns the names to which a script assigns a frame that it has created. */
function framesIn({ code, literals }: PageScript): string[] {
  const found = literals.filter(({ value }) => value.toLowerCase() === 'iframe')
  return found.flatMap(({ start }) => CREATED.exec(code.slice(Math.max(0, start - LOOK_BEHIND), start))?.[1] ?? [])
}

function useOf(literal: ScriptLiteral, { code, isModule }: PageScript, { hasImportMap, frames }: KnownNames): FileUse[] {
  const { value, start, isOpen } = literal
  if (value === '') return []
  const before = code.slice(Math.max(0, start - LOOK_BEHIND), start)
  const isFrame = frames.has(SET_SOURCE.exec(before)?.[1] ?? '')
  const place = isFrame ? FRAME : PLACES.find((one) => one.before.test(before))
  if (!place) return []
  const { list, by } = place
  if (ADDRESS.test(value)) {
    return !isOpen || HOST_END.test(value) ? [{ address: value, list, by }] : []
  }
  if (isOpen || !isLocal(value)) return []
  const isImport = by === 'import'
  if (!isImport) return /^\.{0,2}\//.test(value) ? [{ address: value, list, by, isRelative: true }] : []
  if (!isModule && /from\s*$/.test(before)) return []
  if (/^\.{0,2}\//.test(value)) return [{ address: value, list, by, isRelative: true }]
  return hasImportMap || !isModule ? [] : [{ address: value, list, by, isPackage: true }]
}

/** Names of three characters and more: shorter ones mean several things in minified code. */
const FETCHED_NAME = /(?<![\w$])fetch\s*\(\s*(?:`\$\{\s*)?([A-Za-z_$][\w$]{2,})\s*(?=[)},+])/g
const ASSIGNED_NAME = /(?:^|[^\w$.])([A-Za-z_$][\w$]{2,})\s*=\s*$/

/** Returns the names that scripts give to one address only. */
function readConstants(scripts: readonly ScriptText[]): Map<string, string> {
  const constants = new Map<string, string | undefined>()
  for (const { code, literals } of scripts)
    for (const { value, start, isOpen } of literals) {
      if (isOpen || !ADDRESS.test(value)) continue
      const [, name] = ASSIGNED_NAME.exec(code.slice(Math.max(0, start - LOOK_BEHIND), start)) ?? []
      if (name === undefined) continue
      const isSame = !constants.has(name) || constants.get(name) === value
      constants.set(name, isSame ? value : undefined)
    }
  return new Map([...constants].filter((entry): entry is [string, string] => entry[1] !== undefined))
}
