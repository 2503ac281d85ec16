/** A webhook in a process: Node, Bun and Deno. Prints the results, and must exit by itself. */
import { receive } from './receive.ts'

console.log(JSON.stringify(await receive()))
