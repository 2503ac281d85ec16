import { fileURLToPath } from 'node:url'
import { prepareProgram } from '../../tools/lib/program.mjs'

/** Builds the server that the clients are tried on. */
export default async function setup(project) {
  project.provide('program', await prepareProgram(fileURLToPath(new URL('./server.ts', import.meta.url))))
}
