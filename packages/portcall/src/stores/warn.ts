/** Receives warnings about the setup of stores. */
export type OnWarning = (message: string) => void

/** The default of `onWarning`: writes the warning to stderr. */
export const logWarning: OnWarning = (message) => console.warn(`[portcall] ${message}`)
