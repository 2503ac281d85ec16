import { join } from 'node:path'
import { filesBelow, isTest } from './files.mjs'
import { DIST, PACKAGE, ROOT, readJson, SOURCE_FOLDERS, SRC } from './paths.mjs'

/**
 * Returns the entry points of the package from its `exports`: the `name` that users import, the `entry` name of the bundler, the
 * `source`, and the built `script` and `types`.
 */
export function entryPoints() {
  const { name, exports } = readJson(join(PACKAGE, 'package.json'))
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([path, target]) => {
      const entry = target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '')
      return {
        name: name + path.slice(1),
        entry,
        source: join(SRC, 'entrypoints', `${entry}.ts`),
        script: join(DIST, `${entry}.js`),
        types: join(PACKAGE, target.types),
      }
    })
}

/** Returns the programs of the package from its `bin`: the `entry` name of the bundler, the `source` and the built `script`. */
export function programs() {
  const { bin } = readJson(join(PACKAGE, 'package.json'))
  return Object.values(bin).map((target) => {
    const entry = target.replace(/^\.\/dist\//, '').replace(/\.js$/, '')
    const [home, ...path] = entry.split('/')
    return { entry, source: `${join(ROOT, 'packages', home, 'src', ...path)}.ts`, script: join(PACKAGE, target) }
  })
}

/** Returns the source files of the published package without its tests. */
export const librarySources = () => SOURCE_FOLDERS.flatMap((folder) => filesBelow(folder, '.ts')).filter((path) => !isTest(path))
