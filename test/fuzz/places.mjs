import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../../tools/lib/paths.mjs'

export const FOLDER = fileURLToPath(new URL('.', import.meta.url))
export const DIST = join(FOLDER, 'dist')

/** Where the fuzzer stores the inputs that it finds. */
export const RESULTS = join(ROOT, 'results', 'fuzz')
