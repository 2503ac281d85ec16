/** A client in a process: Node, Bun and Deno. `process.ts URL [REVISION]` prints what it saw, and has to end by itself. */
import process from 'node:process'
import { travel } from './journey.ts'

const [url = '', revision] = process.argv.slice(2)
console.log(JSON.stringify(await travel(url, { revision })))
