/**
 * `npm start [-- [--stdio] FOLDER]`: prepares the checkout and serves a folder with examples/notes, docs/ by default.
 * With --stdio, only protocol messages go to stdout.
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
