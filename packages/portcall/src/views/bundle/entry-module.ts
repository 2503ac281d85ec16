import { dirname, isAbsolute, join } from 'node:path'
import { isLocal } from '../is-local.ts'
import type { FileListener, LocalFiles } from './files.ts'
import { mappedTo, type PageModule } from './page/scripts.ts'

/** The module that a bundler starts at: it exists in memory only, beside the view. */
export interface EntryModule {
  readonly id: string
  /** The part of a plugin that resolves and loads it. */
  readonly plugin: {
    readonly name: string
    readonly enforce: 'pre'
    resolveId(id: string): string | { readonly id: string; readonly external: true } | undefined
    load(id: string): { readonly code: string; readonly moduleSideEffects: true } | undefined
  }
}

/** The modules of a view. */
export interface EntryParts {
  readonly modules: readonly PageModule[]
  readonly files: LocalFiles
  /** The import map of the page. Packages that it maps to addresses stay imports. */
  readonly importMap?: ReadonlyMap<string, string>
  readonly onFile?: FileListener | undefined
  /** The extension of code without a file. Default: `.ts`. */
  readonly extension?: '.ts' | '.css'
}

/** Creates the module that imports the modules of a view in their order. */
export function createEntryModule(file: string, parts: EntryParts): EntryModule {
  const { modules, files, importMap = new Map<string, string>(), extension = '.ts', onFile } = parts
  const idOf = (name: string): string => join(dirname(file), `portcall-view-${name}`)
  const id = idOf('entry.ts')
  const sources = new Map<string, string>()
  const imports = modules.map((module, index) => {
    if ('path' in module) return module.path
    const inline = idOf(`${index}${extension}`)
    sources.set(inline, module.code)
    return inline
  })
  sources.set(id, imports.map((path) => `import ${JSON.stringify(path)}\n`).join(''))
  return {
    id,
    plugin: {
      name: 'portcall-view',
      enforce: 'pre',
      resolveId(wanted) {
        if (sources.has(wanted)) return wanted
        const target = mappedTo(wanted, importMap)
        if (target === undefined) return undefined
        return isLocal(target) ? files.find(target).path : { id: wanted, external: true }
      },
      load(wanted) {
        const code = sources.get(wanted)
        const path = wanted.replace(/\?[\s\S]*/, '')
        if (code === undefined && isAbsolute(path)) onFile?.(path)
        return code === undefined ? undefined : { code, moduleSideEffects: true }
      },
    },
  }
}
