/**
 * `npm start [-- [--stdio] FOLDER]`: gets the checkout ready and runs examples/notes on a folder, by default on docs/.
 * With --stdio nothing but the protocol is printed to stdout.
 */
import { join, resolve } from 'node:path'
import { ensure } from './ensure.mjs'
import { ROOT } from './lib/paths.mjs'
import { prepareProgram } from './lib/program.mjs'
import { becomeNode } from './lib/run.mjs'

await ensure()
const asked = process.argv.slice(2)
const options = asked.filter((argument) => argument.startsWith('-'))
const folders = asked.filter((argument) => !argument.startsWith('-'))
const folder = folders[0] ? resolve(process.env.INIT_CWD ?? '.', folders[0]) : join(ROOT, 'docs')
becomeNode([await prepareProgram(join(ROOT, 'examples', 'notes', 'main.ts')), ...options, folder])
