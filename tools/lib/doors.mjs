import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, isTest } from './files.mjs'
import { DIST, PACKAGE, readJson, SRC } from './paths.mjs'

/**
 * The doors of the package, read from its `exports`: `name` as users import it, `entry` as the bundler names it, `source`,
 * and the built `script` and `types`.
 */
export function doors() {
  const { name, exports } = readJson(join(PACKAGE, 'package.json'))
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([path, target]) => {
      const entry = target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '')
      return {
        name: name + path.slice(1),
        entry,
        source: join(SRC, `${entry}.ts`),
        script: join(DIST, `${entry}.js`),
        types: join(DIST, `${entry}.d.ts`),
      }
    })
}

/** The doors whose source is there. */
export const builtDoors = () => doors().filter(({ source }) => existsSync(source))

/** The programs of the package, read from its `bin`: `entry` as the bundler names it, and its source. */
export function programs() {
  const { bin } = readJson(join(PACKAGE, 'package.json'))
  return Object.values(bin).map((target) => {
    const entry = target.replace(/^\.\/dist\//, '').replace(/\.js$/, '')
    return { entry, source: join(SRC, `${entry}.ts`), script: join(PACKAGE, target) }
  })
}

/** The source files of the library, without its tests. */
export const librarySources = () => filesBelow(SRC, '.ts').filter((path) => !isTest(path))
