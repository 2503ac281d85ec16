/** `npm run runtimes [-- FILTER …]`: the Portcall client and servers on Node 20 and 24, Bun, Deno, workerd, and the client in Chromium. */
import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { run } from '../../tools/lib/run.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'
import { findChromium } from './support/binaries.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Debian's own Chromium: npm has none, and the download of Playwright does not come from a registry. */
function installChromium() {
  if (findChromium()) return
  const isDebian = existsSync('/etc/debian_version') && process.getuid?.() === 0
  const apt = (...args) => run('apt-get', ['-qq', ...args], { env: { DEBIAN_FRONTEND: 'noninteractive' }, quiet: true }).ok
  if (isDebian && apt('update') && apt('install', '-y', '--no-install-recommends', 'chromium-headless-shell') && findChromium())
    return
  console.error('!!! SKIPPED, THERE IS NO CHROMIUM: install one, or say where it is in CHROMIUM')
}

if (process.platform === 'linux' && process.arch === 'x64') {
  install(here)
  installChromium()
  process.exitCode = runTests('runtimes', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
} else {
  console.error(`!!! SKIPPED: the runtimes are installed for Linux on x64, this is ${process.platform} on ${process.arch}`)
  console.log('0 passed, 0 failed')
}
