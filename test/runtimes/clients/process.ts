/** A client in a process: Node, Bun and Deno. `process.ts URL|PROGRAM [REVISION]` prints the results, and must exit by itself. */
import process from 'node:process'
import { travel } from './journey.ts'

const [target = '', revision] = process.argv.slice(2)
console.log(JSON.stringify(await travel(target.startsWith('{') ? JSON.parse(target) : target, { revision })))
