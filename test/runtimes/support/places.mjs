import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** This package, and where its programs are built. */
export const FOLDER = dirname(dirname(fileURLToPath(import.meta.url)))
export const DIST = join(FOLDER, 'dist')
