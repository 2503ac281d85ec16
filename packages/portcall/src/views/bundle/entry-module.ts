import { dirname, join } from 'node:path'
import type { PageModule } from './page-parts.ts'

/** The module that a bundler starts at: it exists in memory only, beside the view. */
export interface EntryModule {
  readonly id: string
  /** The part of a plugin that resolves and loads it. */
  readonly plugin: {
    readonly name: string
    readonly enforce: 'pre'
    resolveId(id: string): string | undefined
    load(id: string): { readonly code: string; readonly moduleSideEffects: true } | undefined
  }
}

/** Creates the module that imports the modules of a view in their order. */
export function createEntryModule(file: string, modules: readonly PageModule[]): EntryModule {
  const idOf = (name: string): string => join(dirname(file), `portcall-view-${name}.ts`)
  const id = idOf('entry')
  const sources = new Map<string, string>()
  const imports = modules.map((module, index) => {
    if ('path' in module) return module.path
    const inline = idOf(String(index))
    sources.set(inline, module.code)
    return inline
  })
  sources.set(id, imports.map((path) => `import ${JSON.stringify(path)}\n`).join(''))
  return {
    id,
    plugin: {
      name: 'portcall-view',
      enforce: 'pre',
      resolveId: (wanted) => (sources.has(wanted) ? wanted : undefined),
      load(wanted) {
        const code = sources.get(wanted)
        return code === undefined ? undefined : { code, moduleSideEffects: true }
      },
    },
  }
}
