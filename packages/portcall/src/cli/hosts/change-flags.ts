import type { FlagOf } from '../command.ts'

/** What the flags below say. */
export interface ChangeFlags {
  readonly to: readonly string[]
  readonly project: boolean
  readonly 'dry-run': boolean
}

/** Flags of the commands that change configurations. */
export const CHANGE: { readonly [name in keyof ChangeFlags]: FlagOf<ChangeFlags[name]> } = {
  to: { type: 'string', multiple: true, value: 'HOST', description: 'Whose configuration; may be given several times' },
  project: { type: 'boolean', description: 'The configuration of the project in this folder instead of that of the user' },
  'dry-run': { type: 'boolean', description: 'Show what would change, and change nothing' },
}
