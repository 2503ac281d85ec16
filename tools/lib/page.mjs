import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { filesBelow } from './files.mjs'
import { DIST, ROOT } from './paths.mjs'

const home = join(ROOT, 'packages', 'inspector')
const built = join(home, 'dist')

/** The page of the inspector: its package, and what Vite makes of it. */
export const PAGE = {
  home,
  built,
  /** Returns the names of the packages that are in the page, and removes the file that Vite writes them to. */
  takeLicenses() {
    const path = join(built, 'licenses.json')
    const names = JSON.parse(readFileSync(path, 'utf8')).map(({ name }) => name)
    rmSync(path)
    return names
  },
}

/** Reports whether two folders hold the same files. */
function equal(one, other) {
  const [paths, others] = [one, other].map((folder) => filesBelow(folder, '').map((path) => relative(folder, path)))
  const same = (path) => readFileSync(join(one, path)).equals(readFileSync(join(other, path)))
  return paths.join() === others.join() && paths.every(same)
}

/** Copies the page, if it is built, to where `portcall inspect` serves it from in a build of the package. */
export function copyPage(dist = DIST) {
  const target = join(dist, 'inspector', 'page')
  if (!existsSync(built) || equal(built, target)) return
  rmSync(target, { recursive: true, force: true })
  cpSync(built, target, { recursive: true })
}
