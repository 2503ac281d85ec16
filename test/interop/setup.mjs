import { fileURLToPath } from 'node:url'
import { prepareProgram } from '../../tools/lib/program.mjs'
import { prepareForeign } from './foreign.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const EVERYTHING = at('./node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** Builds the server for the official clients, and the servers for the Portcall client. */
export default async function setup(project) {
  project.provide('program', await prepareProgram(at('./server.ts')))
  const servers = { everything: { command: process.execPath, args: [EVERYTHING] }, ...prepareForeign() }
  for (const name of ['official-1', 'official-2', 'fastmcp', 'tmcp']) {
    servers[name] = { command: process.execPath, args: [await prepareProgram(at(`./servers/${name}.ts`))] }
  }
  project.provide('servers', servers)
}
