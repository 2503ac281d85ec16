/** `npm run app-host [-- FILTER …]`: the host of views in Chromium, with published servers and the published schema. */
import { fileURLToPath } from 'node:url'
import { installChromium } from '../../../tools/lib/chromium.mjs'
import { install } from '../../../tools/lib/install.mjs'
import { runTests } from '../../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
install(here)
installChromium()
process.exitCode = runTests('app-host', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
