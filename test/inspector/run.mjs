/**
 * `npm run inspector [-- FILTER …]`: the inspector against servers, and its page in Chromium. `-- --pictures` also writes the pictures of the
 * documentation.
 */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { ensureInspector } from '../../tools/inspector.mjs'
import { installChromium } from '../../tools/lib/chromium.mjs'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'
import { preparePython } from '../interop/foreign.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const args = process.argv.slice(2).filter((argument) => argument !== '--pictures')
if (args.length < process.argv.length - 2) process.env.PICTURES = '1'

await ensureInspector()
install(here)
// The servers of others.
install(fileURLToPath(new URL('../interop', import.meta.url)))
preparePython()
installChromium()
process.exitCode = runTests('inspector', ['--config', `${here}vitest.config.ts`, ...args])
