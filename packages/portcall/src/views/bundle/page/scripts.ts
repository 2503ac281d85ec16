import { readFileSync } from 'node:fs'
import { isObject } from '../../../jsonrpc/message.ts'
import { isLocal } from '../../is-local.ts'
import type { ViewPageContext } from './context.ts'
import { type Edit, type PageDocument, type PageElement, printElement } from './document.ts'
import { dynamicImportsOf, escapeClassicScript, isModuleCode, staticImportsOf, withoutSourceMap } from './script-text.ts'

/** A module of the page: a file, or the code of an element. */
export type PageModule = { readonly path: string } | { readonly code: string }

/** The element that gets the bundled script. */
export interface ScriptPlace {
  readonly element: PageElement
  readonly attributes: ReadonlyMap<string, string>
}

/** The scripts of a page. */
export interface PageScripts {
  /** The modules to bundle, in order. */
  readonly modules: readonly PageModule[]
  readonly place: ScriptPlace | undefined
  /** The changes of elements that need no bundler. */
  readonly edits: readonly Edit[]
  /** The addresses and files that import maps give to specifiers. */
  readonly importMap: ReadonlyMap<string, string>
}

/** Attributes that mean nothing, or something else, on a script whose code is in the element. */
const OF_FILES = ['src', 'defer', 'async', 'integrity', 'crossorigin', 'referrerpolicy', 'fetchpriority', 'charset', 'blocking']
const CLASSIC = /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript))?$/
const NEEDS_COMPILER = /\.(?:[cm]?tsx?|jsx|vue|svelte)$/i

type ScriptKind = 'module' | 'classic' | 'data'

const kindOf = ({ attributes }: PageElement): ScriptKind => {
  const type = attributes.get('type')?.trim().toLowerCase() ?? ''
  if (type === 'module') return 'module'
  return CLASSIC.test(type) ? 'classic' : 'data'
}

const without = (attributes: ReadonlyMap<string, string>, names: readonly string[]): Map<string, string> =>
  new Map([...attributes].filter(([name]) => !names.includes(name)))

/** Divides the scripts of a page into modules for the bundler and others, which stay scripts of their kind. @throws ViewError for a missing file. */
export function readScripts({ elements, bodyEnd }: PageDocument, context: ViewPageContext): PageScripts {
  const scripts = elements.filter(({ name }) => name === 'script')
  const importMap = readImportMap(scripts, context)
  const edits: Edit[] = []
  const modules: ModuleElement[] = []
  for (const element of scripts) {
    const src = element.attributes.get('src')
    const kind = kindOf(element)
    if (element.isInert) warnOfTemplate(src, context)
    else if (context.files.isLocal(src)) {
      const file = readFile(src, kind, context)
      if (file.kind === 'module') modules.push({ element, module: { path: file.path }, isFile: true })
      else edits.push(...inlineScript(element, { ...file, bodyEnd, isAfterModule: modules.length > 0 }, context))
    } else if (src === undefined && kind === 'module') {
      const code = element.content.text
      modules.push({ element, module: { code }, isFile: importsFiles(code, importMap) })
    } else if (src === undefined && kind === 'classic') warnOfImports(element.content.text, context)
  }
  // Modules that import no files run as they are.
  if (!modules.some(({ isFile }) => isFile)) return { modules: [], place: undefined, edits, importMap }
  const placed = placeModules(modules)
  return { ...placed, importMap, edits: [...edits, ...placed.edits] }
}

interface ModuleElement {
  readonly element: PageElement
  readonly module: PageModule
  /** True if only a bundler can load it. */
  readonly isFile: boolean
}

function warnOfTemplate(src: string | undefined, { files, onWarning }: ViewPageContext): void {
  if (files.isLocal(src))
    onWarning(`The script ${JSON.stringify(src)} is in a <template> and cannot be loaded. Put its code into the element`)
}

/** Reads the file of a script. A classic one that is written as a module is a module. */
function readFile(
  src: string,
  kind: ScriptKind,
  { files, onWarning }: ViewPageContext,
): { readonly path: string; readonly code: string; readonly kind: ScriptKind } {
  const { path } = files.find(src)
  const code = withoutSourceMap(readFileSync(path, 'utf8'))
  if (kind !== 'classic' || !(NEEDS_COMPILER.test(path) || isModuleCode(code))) return { path, code, kind }
  onWarning(`The script ${JSON.stringify(src)} is bundled as a module, because it is written as one. Add type="module"`)
  return { path, code, kind: 'module' }
}

interface InlinedScript {
  readonly code: string
  readonly kind: ScriptKind
  readonly bodyEnd: number
  readonly isAfterModule: boolean
}

/** Puts the code of a file into its element. A deferred script moves to the end of the page, because an element with code cannot wait. */
function inlineScript(element: PageElement, script: InlinedScript, { onWarning }: ViewPageContext): readonly Edit[] {
  const { attributes, start, end } = element
  const { code, kind, bodyEnd, isAfterModule } = script
  const src = JSON.stringify(attributes.get('src'))
  if (kind === 'data' && /<\/script/i.test(code)) {
    onWarning(`The file ${src} contains "</script" and cannot become a part of the page. Write it differently`)
    return []
  }
  // Browsers that show views run modules, and so never a script for those that do not.
  if (kind === 'classic' && attributes.has('nomodule')) return [{ start, end, text: '' }]
  const text = printElement('script', without(attributes, OF_FILES), kind === 'classic' ? escapeClassicScript(code) : code)
  if (kind === 'data' || !(attributes.has('defer') || attributes.has('async'))) return [{ start, end, text }]
  if (isAfterModule && !attributes.has('async'))
    onWarning(`The deferred script ${src} runs before the modules of the page, although it follows one. Make it a module`)
  return [
    { start, end, text: '' },
    { start: bodyEnd, end: bodyEnd, text },
  ]
}

function warnOfImports(code: string, { onWarning }: ViewPageContext): void {
  for (const from of dynamicImportsOf(code))
    if (isLocal(from))
      onWarning(`An inline script imports ${JSON.stringify(from)}, which cannot be loaded. Use <script type="module">`)
}

/** The first module gets the bundle. Of the others, elements stay that code may look for by their attributes. */
function placeModules(modules: readonly ModuleElement[]): Omit<PageScripts, 'importMap'> {
  const [first, ...others] = modules
  if (!first) return { modules: [], place: undefined, edits: [] }
  const isAsync = modules.every(({ element }) => element.attributes.has('async'))
  const kept = ({ attributes }: PageElement) => without(attributes, [...OF_FILES, 'type'])
  const withType = (attributes: ReadonlyMap<string, string>) => new Map([['type', 'module'], ...attributes])
  const edits = others.map(({ element }) => {
    const attributes = kept(element)
    const text = attributes.size === 0 ? '' : printElement('script', withType(attributes), '')
    return { start: element.start, end: element.end, text }
  })
  const attributes = new Map([...withType(kept(first.element)), ...(isAsync ? ([['async', '']] as const) : [])])
  return { modules: modules.map(({ module }) => module), place: { element: first.element, attributes }, edits }
}

/** Reports whether a module imports what only a bundler finds: files, and packages that no import map names. */
function importsFiles(code: string, importMap: ReadonlyMap<string, string>): boolean {
  return [...staticImportsOf(code), ...dynamicImportsOf(code)].some((from) => {
    const target = mappedTo(from, importMap) ?? from
    return isLocal(target)
  })
}

/** Returns what an import map makes of a specifier. */
export function mappedTo(specifier: string, importMap: ReadonlyMap<string, string>): string | undefined {
  const exact = importMap.get(specifier)
  if (exact !== undefined) return exact
  const prefixes = [...importMap.keys()].filter((key) => key.endsWith('/') && specifier.startsWith(key))
  const prefix = prefixes.sort((one, other) => other.length - one.length)[0]
  return prefix === undefined ? undefined : `${importMap.get(prefix)}${specifier.slice(prefix.length)}`
}

function readImportMap(scripts: readonly PageElement[], { onWarning }: ViewPageContext): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const { attributes, content } of scripts) {
    if (attributes.get('type')?.trim().toLowerCase() !== 'importmap') continue
    try {
      const { imports } = JSON.parse(content.text) as { imports?: unknown }
      for (const [specifier, target] of Object.entries(isObject(imports) ? imports : {}))
        if (typeof target === 'string') map.set(specifier, target)
    } catch (error) {
      onWarning(`The import map of the page is not JSON: ${String(error)}`)
    }
  }
  return map
}
