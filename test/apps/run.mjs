/** `npm run apps [-- FILTER …]`: views of tools on servers, in frameworks and in hosts, ours and those of others. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { installChromium } from '../../tools/lib/chromium.mjs'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
const chromium = installChromium()
if (chromium) process.env.CHROMIUM = chromium
process.exitCode = runTests('apps', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
