import { join } from 'node:path'
import { install } from './install.mjs'
import { ROOT } from './paths.mjs'
import { runNode } from './run.mjs'

const SCRIPTS = {
  attw: 'publishing/node_modules/@arethetypeswrong/cli/dist/index.js',
  biome: 'checkers/node_modules/@biomejs/biome/bin/biome',
  'dependency-cruiser': 'checkers/node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  publint: 'publishing/node_modules/publint/src/cli.js',
  typedoc: 'reference/node_modules/typedoc/bin/typedoc',
  'typescript-5': 'checkers/node_modules/typescript-5/bin/tsc',
  'typescript-7': 'checkers/node_modules/typescript-7/bin/tsc',
}

/** Installs the package that holds a development tool, then runs the tool. */
export function runChecker(name, args, options) {
  const script = SCRIPTS[name]
  install(join(ROOT, 'tools', script.slice(0, script.indexOf('/'))))
  return runNode([join(ROOT, 'tools', script), ...args], options)
}
