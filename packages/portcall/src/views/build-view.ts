import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { describe } from '../../../util/src/describe.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { BuildViewOptions, BuiltView } from './build-options.ts'
import { ViewError, type ViewErrorCode } from './errors.ts'
import { plainText } from './plain-text.ts'

const NAMES: OptionNames<BuildViewOptions> = {
  outFile: 'nonempty',
  bundler: ['vite', 'rolldown'],
  plugins: 'array',
  minify: 'boolean',
  sourcemap: 'boolean',
  maxAssetBytes: 100_000,
}

/**
 * Bundles a view into one HTML file: its scripts, styles, images and fonts. The same files give the same bytes. `entry` is a `.html`, `.ts`,
 * `.tsx`, `.mts`, `.js`, `.jsx` or `.mjs` file; a relative path starts at the current folder. A script gets a page with `<div id="root">`. Needs
 * Node, and for modules the optional peer `vite` or `rolldown`, which are looked up from the folder of the file.
 *
 * @throws TypeError for wrong options; ViewError when there is no bundler, a file is missing, or the build fails.
 */
export async function buildView(entry: string | URL, options: BuildViewOptions = {}): Promise<BuiltView> {
  if (!(entry instanceof URL ? entry.protocol === 'file:' : typeof entry === 'string'))
    throw new TypeError(`buildView(entry): entry must be the path of a file or a file: URL, not ${describe(entry)}`)
  checkOptions('buildView()', options, { names: NAMES, advice: { out: 'Use "outFile"' } })
  return buildPage(entry, options)
}

/** Does the same without a check of the options. `onFile` receives the files of the view, also those of one that cannot be built. */
export async function buildPage(
  entry: string | URL,
  options: BuildViewOptions,
  onFile?: (path: string) => void,
): Promise<BuiltView> {
  const { build } = await import('./bundle/build.ts')
  try {
    return await build(entry, options, onFile)
  } catch (error) {
    if (error instanceof ViewError) throw error
    const own = viewErrorIn(error)
    if (own) throw own
    const reason = plainText(error instanceof Error ? error.message : String(error))
    throw new ViewError('VIEW_BUILD_FAILED', `The view ${String(entry)} cannot be built: ${reason}`, { cause: new Error(reason) })
  }
}

/** Returns the error of this library that a plugin threw, out of what a bundler made of it: it changes the code, and refers to itself. */
function viewErrorIn(error: unknown): ViewError | undefined {
  const seen = new Set<unknown>([error])
  for (const inner of seen) {
    if (inner instanceof ViewError) {
      const { pluginCode = 'VIEW_BUILD_FAILED' } = inner as { pluginCode?: ViewErrorCode }
      return new ViewError(pluginCode, plainText(inner.message))
    }
    const { errors, cause } = (isObject(inner) ? inner : {}) as { errors?: unknown; cause?: unknown }
    for (const next of [cause, ...(Array.isArray(errors) ? errors : [])]) if (isObject(next)) seen.add(next)
  }
  return undefined
}
