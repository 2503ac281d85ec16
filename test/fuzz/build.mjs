import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'
import { DIST, FOLDER } from './places.mjs'

const HELPERS = new Set(['pieces', 'tokens'])

/** The names of all targets. */
export const TARGETS = readdirSync(join(FOLDER, 'targets'))
  .map((file) => basename(file, '.ts'))
  .filter((name) => !HELPERS.has(name))
  .sort()

/** Bundles each target with the sources that it tests into one CommonJS file, which the fuzzer instruments. */
export async function buildTargets() {
  for (const name of TARGETS) {
    const bundle = await rolldown({
      input: join(FOLDER, 'targets', `${name}.ts`),
      platform: 'node',
      external: /^node:/,
      tsconfig: false,
      logLevel: 'silent',
    })
    await bundle.write({ file: join(DIST, `${name}.cjs`), format: 'cjs', codeSplitting: false })
    await bundle.close()
  }
}
