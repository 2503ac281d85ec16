import { isObject } from '../../../jsonrpc/message.ts'
import { parseObject } from '../../../jsonrpc/parse-object.ts'
import type { ViewCsp } from '../../../protocol/apps.ts'
import { type PageElement, parsePage } from '../../../views/bundle/page/document.ts'
import { isLocal } from '../../../views/is-local.ts'
import { readStyleFacts } from './page-styles.ts'
import { readScript, type ScriptText } from './script-text.ts'
import { type FileUse, readUses } from './script-uses.ts'

/** The behavior of a page, as far as its text shows it. */
export interface PageFacts {
  /** The addresses that the page uses, with the list of the policy that has to name their origins. */
  readonly uses: readonly FileUse[]
  readonly scripts: readonly ScriptText[]
  /** The texts of all literals. */
  readonly literals: ReadonlySet<string>
  /** True if code of the page comes from another file, which is not read. */
  readonly loadsScripts: boolean
  readonly followsFrame: string | undefined
  readonly noHeight: string | undefined
}

/** The attributes that name files which the browser loads with the page. */
const FILE_ATTRIBUTES: { readonly [element: string]: { readonly names: readonly string[]; readonly list: keyof ViewCsp } } = {
  script: { names: ['src'], list: 'resourceDomains' },
  img: { names: ['src', 'srcset'], list: 'resourceDomains' },
  source: { names: ['src', 'srcset'], list: 'resourceDomains' },
  video: { names: ['src', 'poster'], list: 'resourceDomains' },
  audio: { names: ['src'], list: 'resourceDomains' },
  track: { names: ['src'], list: 'resourceDomains' },
  image: { names: ['href', 'xlink:href'], list: 'resourceDomains' },
  use: { names: ['href', 'xlink:href'], list: 'resourceDomains' },
  iframe: { names: ['src'], list: 'frameDomains' },
  base: { names: ['href'], list: 'baseUriDomains' },
}

const LOADED_LINK = /\b(?:stylesheet|modulepreload|preload)\b/i
const CODE_TYPE = /^(?:$|module$|(?:text|application)\/(?:x-)?(?:java|ecma)script)/i

/** Reads a page. Linear in its size. It loads the parser of HTML, which is large: import it when there is a page. */
export function readPage(html: string): PageFacts {
  const { elements } = parsePage(html)
  const inline = elements.filter(({ name, attributes }) => name === 'script' && !attributes.has('src'))
  const typeOf = (element: PageElement): string => attributeOf(element, 'type').toLowerCase()
  const importMap = inline.filter((one) => typeOf(one) === 'importmap').flatMap(({ content }) => addressesOf(content.text))
  const scripts = inline
    .filter((one) => CODE_TYPE.test(typeOf(one)))
    .map((one) => ({ ...readScript(one.content.text), isModule: typeOf(one) === 'module' }))
  const styles = [
    ...elements.filter(({ name }) => name === 'style').map(({ content }) => readStyleFacts(content.text)),
    ...elements.flatMap((element) => readStyleFacts(attributeOf(element, 'style'), true)),
  ]
  const fileUses: FileUse[] = [
    ...elements.flatMap(usesOfElement),
    ...importMap.map((address) => ({ address, list: 'resourceDomains' as const, by: 'the import map' })),
    ...styles.flatMap(({ files }) => files.map((address) => ({ address, list: 'resourceDomains' as const, by: 'a style' }))),
  ]
  const scriptUses = readUses(scripts, importMap.length > 0)
  const isRemote = ({ by }: FileUse): boolean => by === '<script>' || by === 'import' || by === 'the import map'
  const uses = withBase([...fileUses.map((use) => ({ ...use, isRelative: isLocal(use.address) })), ...scriptUses])
  return {
    uses,
    scripts,
    literals: new Set(scripts.flatMap(({ literals }) => literals.map(({ value }) => value))),
    loadsScripts: uses.some(isRemote),
    followsFrame: styles.find(({ followsFrame }) => followsFrame)?.followsFrame ?? heightInScripts(scripts),
    noHeight: styles.find(({ noHeight }) => noHeight)?.noHeight,
  }
}

const attributeOf = ({ attributes }: PageElement, name: string): string => attributes.get(name)?.trim() ?? ''

function usesOfElement(element: PageElement): FileUse[] {
  const { name } = element
  if (name === 'link') {
    const relation = attributeOf(element, 'rel')
    return LOADED_LINK.test(relation)
      ? [{ address: attributeOf(element, 'href'), list: 'resourceDomains', by: `<link rel="${relation}">` }]
      : []
  }
  const known = Object.hasOwn(FILE_ATTRIBUTES, name) ? FILE_ATTRIBUTES[name] : undefined
  return (known?.names ?? []).flatMap((attribute) => {
    const value = attributeOf(element, attribute)
    const addresses = attribute === 'srcset' ? value.split(',').map((part) => part.trim().split(/\s/, 1)[0] ?? '') : [value]
    return addresses
      .filter((address) => address !== '')
      .map((address) => ({ address, list: known?.list ?? 'resourceDomains', by: `<${name}>` }))
  })
}

/** Relative addresses start at the base of the page, if it has one. */
function withBase(uses: readonly FileUse[]): readonly FileUse[] {
  const base = uses.find(({ list }) => list === 'baseUriDomains')?.address
  if (base === undefined || !/^https?:/i.test(base)) return uses
  return uses.map((use) => (use.isRelative ? { ...use, address: base, isRelative: false } : use))
}

function addressesOf(importMap: string): string[] {
  const { imports, scopes } = parseSafely(importMap)
  const maps = [imports, ...(isObject(scopes) ? Object.values(scopes) : [])]
  return maps.flatMap((map) => (isObject(map) ? Object.values(map) : [])).filter((address) => typeof address === 'string')
}

function parseSafely(text: string): { imports?: unknown; scopes?: unknown } {
  try {
    return parseObject(text) ?? {}
  } catch {
    return {}
  }
}

const HEIGHT_MEMBER = /(?:minHeight|\bheight)["']?\s*:\s*$/

/** A style that a script sets: `{ minHeight: '100vh' }`. */
function heightInScripts(scripts: readonly ScriptText[]): string | undefined {
  for (const { code, literals } of scripts)
    for (const { value, start } of literals)
      if (/^100[dsl]?vh$/.test(value)) {
        const [member] = HEIGHT_MEMBER.exec(code.slice(Math.max(0, start - 30), start)) ?? []
        if (member) return `${member.replace(/["'\s:]/g, '')}: ${value}`
      }
  return undefined
}
