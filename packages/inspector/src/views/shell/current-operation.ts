import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** The operation whose result, and whose questions, the screen shows. */
export const currentOperationId = signal<string | undefined>(undefined)

/** Says that a screen shows an operation, for as long as it does. */
export function useCurrentOperation(id: string | undefined): void {
  useEffect(() => {
    currentOperationId.value = id
    return () => {
      if (currentOperationId.value === id) currentOperationId.value = undefined
    }
  }, [id])
}
