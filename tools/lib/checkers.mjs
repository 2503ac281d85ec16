import { join } from 'node:path'
import { install } from './install.mjs'
import { ROOT } from './paths.mjs'
import { runNode } from './run.mjs'

const FOLDER = join(ROOT, 'tools', 'checkers')

const SCRIPTS = {
  biome: '@biomejs/biome/bin/biome',
  'dependency-cruiser': 'dependency-cruiser/bin/dependency-cruise.mjs',
  'typescript-7': 'typescript-7/bin/tsc',
}

/** Runs one of the programs that only the checks need, and installs them first. */
export function runChecker(name, args, options) {
  install(FOLDER)
  return runNode([join(FOLDER, 'node_modules', SCRIPTS[name]), ...args], options)
}
