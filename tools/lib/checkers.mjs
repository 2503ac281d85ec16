import { join } from 'node:path'
import { install } from './install.mjs'
import { ROOT } from './paths.mjs'
import { runNode } from './run.mjs'

const SCRIPTS = {
  attw: 'publishing/node_modules/@arethetypeswrong/cli/dist/index.js',
  biome: 'checkers/node_modules/@biomejs/biome/bin/biome',
  'dependency-cruiser': 'checkers/node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  publint: 'publishing/node_modules/publint/src/cli.js',
  'typescript-7': 'checkers/node_modules/typescript-7/bin/tsc',
}

/** Runs one of the programs that only the checks need, and installs them first. */
export function runChecker(name, args, options) {
  const script = SCRIPTS[name]
  install(join(ROOT, 'tools', script.slice(0, script.indexOf('/'))))
  return runNode([join(ROOT, 'tools', script), ...args], options)
}
