import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import type { Transform, TransformCaller, TransformItem } from './transform.ts'

/** Options of `versions`. */
export interface VersionsOptions {
  /** Returns the newest version that a caller gets, or `undefined` for the newest of all. */
  readonly select?: (caller: TransformCaller) => number | undefined
}

const VERSIONED = /^(.+?)[._-]v(\d+)$/

const NAMES: OptionNames<VersionsOptions> = { select: 'function' }

/**
 * Offers one version of each tool or prompt under its name without a version: `search_v1` and `search_v2` become `search`. Callers get the
 * newest version, or the newest that `select` allows.
 */
export function versions(options: VersionsOptions = {}): Transform {
  checkOptions('versions()', options, { names: NAMES })
  const { select } = options
  return {
    variesByCaller: select !== undefined,
    list(items, caller) {
      const most = select?.(caller) ?? Infinity
      const newest = new Map<string, { readonly item: TransformItem; readonly version: number }>()
      for (const item of items) {
        const { base, version } = parse(item)
        const known = newest.get(base)
        if (version <= most && (!known || version > known.version)) newest.set(base, { item: { ...item, name: base }, version })
      }
      return [...newest.values()].map(({ item }) => item)
    },
  }
}

/** Splits a name. A name without a version is older than all versions. */
function parse({ kind, name }: TransformItem): { readonly base: string; readonly version: number } {
  const [, base, version] = (kind === 'tool' || kind === 'prompt' ? VERSIONED.exec(name) : undefined) ?? []
  return base === undefined ? { base: name, version: 0 } : { base, version: Number(version) }
}
