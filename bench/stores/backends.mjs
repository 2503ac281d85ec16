import { memory } from 'portcall/stores'

/** The backends that state can rest on, each with what opens it here; nothing when it cannot be had on this machine. */
export const BACKENDS = {
  memory: { title: 'memory', open: async () => ({ ...memory(), close() {} }) },
}
