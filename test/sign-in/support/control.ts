import type { Program } from './program.ts'

/** Asks a program to do what its administrator could do. */
export type Control = (action: string) => Promise<void>

export function createControl(origin: string, program: Program): Control {
  return async (action) => {
    const response = await fetch(`${origin}/control/${action}`, { method: 'POST' })
    if (!response.ok) throw new Error(`${action}: ${await response.text()}\n${program.log()}`)
  }
}
