import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** The published package. */
export const PACKAGE = join(ROOT, 'packages', 'portcall')
export const SRC = join(PACKAGE, 'src')
/** The folders of packages/ whose code is in the published package. */
export const SOURCE_FOLDERS = ['portcall/src', 'util/src', 'cli/src', 'inspector/server'].map((name) =>
  join(ROOT, 'packages', name),
)
export const DIST = join(PACKAGE, 'dist')

/** Formats a path for display: relative to the root, with slashes. */
export const shown = (path) => relative(ROOT, path).split(sep).join('/')

export const readText = (path) => readFileSync(path, 'utf8')
export const readJson = (path) => JSON.parse(readText(path))

/** Reports whether a module is the program that was started: `isMain(import.meta)`. */
export const isMain = ({ filename }) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === filename
