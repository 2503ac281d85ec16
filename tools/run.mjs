/** `node tools/run.mjs FILE.ts [ARGUMENT …]`: prepares the checkout, builds a TypeScript program and runs it. */
import { resolve } from 'node:path'
import { ensure } from './ensure.mjs'
import { prepareProgram } from './lib/program.mjs'
import { becomeNode } from './lib/run.mjs'

const [file, ...args] = process.argv.slice(2)
await ensure()
becomeNode([await prepareProgram(resolve(file)), ...args])
