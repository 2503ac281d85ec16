/** `npm run views:browser [-- FILTER …]`: views in frameworks and in the hosts of others, in Chromium. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { installChromium } from '../../../tools/lib/chromium.mjs'
import { install } from '../../../tools/lib/install.mjs'
import { runTests } from '../../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
const CHROMIUM = installChromium()
if (CHROMIUM) {
  process.env.CHROMIUM = CHROMIUM
  process.exitCode = runTests('views:browser', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
}
