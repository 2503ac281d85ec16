import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../../jsonrpc/message.ts'
import { ViewError } from '../errors.ts'

/** The names of bundlers. */
export type BundlerName = 'vite' | 'rolldown'

/** An installed bundler. */
export interface Bundler {
  readonly name: BundlerName
  readonly majorVersion: number
  /** The URL of its module. */
  readonly module: string
}

/** Finds the bundler of the project that a file belongs to. @throws ViewError when there is none. */
export function findBundler(file: string, wanted: BundlerName | undefined): Bundler {
  const found = locateBundler(file, wanted)
  if (found) return found
  const names = wanted ? [wanted] : NAMES
  throw new ViewError(
    'VIEW_NEEDS_BUNDLER',
    `The view ${file} must be bundled, but ${names.join(' and ')} cannot be found from its folder. Run npm install --save-dev ${names[0]}, or build the view before and use its .html file`,
  )
}

const NAMES: readonly BundlerName[] = ['vite', 'rolldown']

/** Returns the bundler of the project that a file belongs to, if there is one. */
export function locateBundler(file: string, wanted: BundlerName | undefined): Bundler | undefined {
  for (const name of wanted ? [wanted] : NAMES) {
    const found = locate(name, file)
    if (found) return found
  }
  return undefined
}

function locate(name: BundlerName, file: string): Bundler | undefined {
  const manifest = manifestOf(name, file)
  if (manifest === undefined) return undefined
  const { version, exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string; exports: { '.': unknown } }
  const target = importTarget(exports['.'])
  if (target === undefined) return undefined
  return { name, majorVersion: Number.parseInt(version, 10), module: pathToFileURL(join(dirname(manifest), target)).href }
}

/** Returns the file that `import` loads, from the `exports` of a package. */
function importTarget(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  if (!isObject(target)) return undefined
  return ['import', 'node', 'default'].map((condition) => importTarget(target[condition])).find((found) => found !== undefined)
}

/** Returns the path of the `package.json` of a package that a file can import. */
function manifestOf(name: string, file: string): string | undefined {
  try {
    return createRequire(file).resolve(`${name}/package.json`)
  } catch {
    return undefined
  }
}

/** Reports whether a package is installed where a file can import it. */
export const isInstalled = (name: string, file: string): boolean => manifestOf(name, file) !== undefined

/** Returns the folder of the project that a file belongs to: with a configuration of Vite, otherwise with a `package.json`. */
export function projectFolderOf(file: string): string {
  const above: string[] = []
  for (let folder = dirname(file); folder !== above.at(-1); folder = dirname(folder)) above.push(folder)
  const has = (test: (folder: string) => boolean): string | undefined => above.find(test)
  const configured = has((folder) => VITE_CONFIGS.some((name) => existsSync(join(folder, name))))
  return configured ?? has((folder) => existsSync(join(folder, 'package.json'))) ?? dirname(file)
}

const VITE_CONFIGS = ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'].map((extension) => `vite.config.${extension}`)
