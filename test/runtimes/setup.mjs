import { buildPrograms } from './support/build.mjs'

/** Builds the programs for the runtimes. */
export default buildPrograms
