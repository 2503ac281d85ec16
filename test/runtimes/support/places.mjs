import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package, and the output folder of its programs. */
export const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)))
export const DIST = join(FOLDER, 'dist')
