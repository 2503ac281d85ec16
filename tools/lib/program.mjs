import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { ROOT } from './paths.mjs'

/** Returns the folder of the package that a file belongs to. */
function homeOf(file) {
  let folder = dirname(file)
  while (folder !== ROOT && !existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

/**
 * Builds a TypeScript program, which Node 20 cannot run, and returns the path of the script. The script goes into the `dist` folder of
 * its package, so that it finds the packages installed there; its `import.meta.url` is that of the built file.
 */
export async function prepareProgram(file) {
  const home = homeOf(file)
  const name = relative(home, join(dirname(file), basename(file, '.ts'))).replaceAll('\\', '/')
  const { bundlePrograms } = await import('./bundle.mjs')
  await bundlePrograms({ [name]: file }, join(home, 'dist'))
  return join(home, 'dist', `${name}.js`)
}
