/** `npm run signin [-- NAME …]`: sign-ins at authorization servers of other makes. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { install } from '../../tools/lib/install.mjs'
import { runTests } from '../../tools/lib/vitest.mjs'
import { prepare } from './prepare.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const known = readdirSync(`${here}servers`)
const chosen = process.argv.slice(2)
const unknown = chosen.find((name) => !known.includes(name))
if (unknown !== undefined) throw new Error(`There is no server ${unknown}: choose from ${known.join(', ')}`)
const names = chosen.length > 0 ? chosen : known
install(here)
prepare(names)
process.env.SIGN_IN_SERVERS = names.join(' ')
process.exitCode = runTests('signin', ['--config', `${here}vitest.config.ts`])
