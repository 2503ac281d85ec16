/** The measured clients by the names of their subjects; `transports` lists the supported transports and modes. */
import { fileURLToPath } from 'node:url'

const at = (name) => fileURLToPath(new URL(`clients/${name}.mjs`, import.meta.url))
const BOTH = ['modern', 'session']

/** @type {Record<string, Record<'http' | 'stdio' | 'memory', { program: string, modes: string[] }>>} */
const CLIENTS = {
  baseline: { http: { program: at('baseline-http'), modes: BOTH }, stdio: { program: at('baseline-stdio'), modes: BOTH } },
  fetch: { http: { program: at('baseline-fetch'), modes: BOTH } },
  portcall: {
    http: { program: at('portcall'), modes: BOTH },
    stdio: { program: at('portcall'), modes: BOTH },
    memory: { program: at('portcall'), modes: ['modern'] },
  },
  'official-1': {
    http: { program: at('official-1'), modes: ['session'] },
    stdio: { program: at('official-1'), modes: ['session'] },
    memory: { program: at('official-1'), modes: ['modern'] },
  },
  'official-2': {
    http: { program: at('official-2'), modes: BOTH },
    stdio: { program: at('official-2'), modes: BOTH },
    memory: { program: at('official-2'), modes: ['modern'] },
  },
}

/** Returns the subjects with a client for a mode over a transport. */
export const clientsFor = (transport, mode) =>
  Object.keys(CLIENTS).filter((name) => CLIENTS[name][transport]?.modes.includes(mode))

/** Returns the program of a client. */
export const clientProgram = (name, transport) => CLIENTS[name][transport].program
