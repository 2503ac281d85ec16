/** `npm run runtimes [-- FILTER …]`: the Portcall client and servers on Node 20 and 24, Bun, Deno, workerd, and the client in Chromium. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { installChromium } from '../../tools/lib/chromium.mjs'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

if (process.platform === 'linux' && process.arch === 'x64') {
  install(here)
  installChromium()
  process.exitCode = runTests('runtimes', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
} else {
  console.error(`!!! SKIPPED: the runtimes are installed for Linux on x64, this is ${process.platform} on ${process.arch}`)
  console.log('0 passed, 0 failed')
}
