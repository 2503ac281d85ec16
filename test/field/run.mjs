/**
 * `npm run field [-- FILTER …]`: published MCP servers and descriptions of real APIs, through the gateway, `list`, `check`, `generate` and the
 * adapters for agents. Prints a row for each and writes them to results/field.md. Needs about 1 GB of packages, and is not a part of CI.
 */
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'

// The servers need no browsers of their own, and their download fails where only registries can be reached.
Object.assign(process.env, { PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' })
const here = fileURLToPath(new URL('.', import.meta.url))
for (const folder of [`${here}../composition`, `${here}servers`]) install(folder)
process.exitCode = runTests('field', ['--config', `${here}vitest.config.ts`, ...process.argv.slice(2)])
