import { rendersViews } from '../protocol/apps.ts'
import type { Call } from '../server/call.ts'

/** Reports whether the client of a call shows views, so that a tool may return less text for the model. The text must not be empty. */
export function showsViews(call: Pick<Call, 'client'>): boolean {
  return rendersViews(call.client.capabilities)
}
