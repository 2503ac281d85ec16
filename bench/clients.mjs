/** The clients that are measured, by the names of their subjects; `transports` tells over what, and in which modes. */
import { fileURLToPath } from 'node:url'

const at = (name) => fileURLToPath(new URL(`clients/${name}.mjs`, import.meta.url))
const BOTH = ['modern', 'session']

/** @type {Record<string, Record<'http' | 'stdio' | 'memory', { program: string, modes: string[] }>>} */
const CLIENTS = {
  floor: { http: { program: at('floor-http'), modes: BOTH }, stdio: { program: at('floor-stdio'), modes: BOTH } },
  fetch: { http: { program: at('floor-fetch'), modes: BOTH } },
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

/** Who has a client for a mode over a transport. */
export const clientsFor = (transport, mode) =>
  Object.keys(CLIENTS).filter((name) => CLIENTS[name][transport]?.modes.includes(mode))

/** The program of a client. */
export const clientProgram = (name, transport) => CLIENTS[name][transport].program
