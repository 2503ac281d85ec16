import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const node = (path) => ({ command: process.execPath, args: [at(path)] })

const ALL = { http: ['modern', 'session', 'stateless'], stdio: ['modern', 'session'] }

/**
 * Who is measured. `programs` tells what to start for each transport, `modes` which modes it can do there; `peer` takes part in fewer
 * rounds; `prepare` builds or installs what it needs and gives a reason when that cannot be done here.
 *
 * @typedef {object} Subject
 * @property {string} title
 * @property {{ http?: Program, stdio?: Program }} programs
 * @property {{ http?: string[], stdio?: string[] }} modes
 * @property {boolean} [peer]
 * @property {() => Promise<string | undefined>} [prepare]
 *
 * @typedef {{ command: string, args: string[] }} Program
 */

/** @type {Record<string, Subject>} */
export const SUBJECTS = {
  floor: { title: 'floor', programs: { http: node('floor/http.mjs'), stdio: node('floor/stdio.mjs') }, modes: ALL },
  portcall: {
    title: 'Portcall',
    programs: { http: node('servers/portcall.mjs'), stdio: node('servers/portcall.mjs') },
    modes: ALL,
  },
}

/** The subjects that can do a mode over a transport, in the order of the table. */
export const subjectsFor = (transport, mode) =>
  Object.keys(SUBJECTS).filter((name) => SUBJECTS[name].modes[transport]?.includes(mode))

/** The program of a subject with the arguments of the contract, `{ mode, tools, … }`. */
export function programOf(name, transport, options) {
  const { command, args } = SUBJECTS[name].programs[transport]
  const told = Object.entries({ transport, ...options }).flatMap(([key, value]) => [`--${key}`, String(value)])
  return { command, args: [...args, ...told] }
}
