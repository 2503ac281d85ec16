/** Servers over stdin and stdout. @module */
export { type ServeStdioOptions, serveStdio } from '../serve/stdio.ts'
