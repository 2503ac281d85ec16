import { signal } from '@preact/signals'

/** The operation whose result is in sight: its questions are shown there and not on top of the screen. */
export const currentOperationId = signal<string | undefined>(undefined)
