import type { Request } from '../../jsonrpc/message.ts'
import type { RequestStateStore, SealedStateOptions } from './request-state.ts'

/** Creates a store of sealed states. Its code is loaded with the first call that is suspended. */
export function createSealedStateStore(
  request: Request,
  principal: string | undefined,
  options: SealedStateOptions,
): Required<Pick<RequestStateStore, 'load' | 'save' | 'use'>> {
  const open = async () => (await import('./sealed-state.ts')).openSealedStates(request, principal, options)
  return {
    load: async (requestState) => (await open()).load(requestState),
    save: async (state) => (await open()).save(state),
    use: async (state) => (await open()).use(state),
  }
}
