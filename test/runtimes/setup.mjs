import { buildPrograms } from './support/build.mjs'

/** Builds what runs on the runtimes. */
export default buildPrograms
