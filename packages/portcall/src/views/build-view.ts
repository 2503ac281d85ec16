import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import type { BuildViewOptions, BuiltView } from './build-options.ts'
import { ViewError } from './errors.ts'

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
 * `.tsx`, `.js` or `.jsx` file; a script gets a page with `<div id="root">`. Needs Node and the optional peer `vite` or `rolldown`, which are
 * looked up from the folder of the file.
 *
 * @throws TypeError for wrong options; ViewError when there is no bundler, a file is missing, or the build fails.
 */
export async function buildView(entry: string | URL, options: BuildViewOptions = {}): Promise<BuiltView> {
  checkOptions('buildView()', options, { names: NAMES, advice: { out: 'Use "outFile"' } })
  const { build } = await import('./bundle/build.ts')
  try {
    return await build(entry, options)
  } catch (error) {
    if (error instanceof ViewError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ViewError('VIEW_BUILD_FAILED', `The view ${String(entry)} cannot be built: ${reason}`, { cause: error })
  }
}
