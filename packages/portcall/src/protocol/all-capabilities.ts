import { VIEW_CAPABILITIES } from './apps.ts'
import { EVENTS_EXTENSION } from './events.ts'
import { declaredSettings } from './extensions.ts'
import { capabilitiesForInputs, INPUT_KINDS } from './input-capabilities.ts'
import { TASKS_EXTENSION } from './tasks.ts'
import type { ClientCapabilities } from './types.ts'

/**
 * The capabilities of a client that answers every kind of input, shows views and has the extensions of this package. Some servers list items only for
 * such clients: declare them to read all that a server offers. Such a connection is not for calls, since nobody answers the input requests.
 */
export const ALL_CAPABILITIES: ClientCapabilities = {
  ...capabilitiesForInputs(INPUT_KINDS),
  extensions: {
    ...VIEW_CAPABILITIES.extensions,
    ...Object.fromEntries([TASKS_EXTENSION, EVENTS_EXTENSION].map((id) => [id, declaredSettings({ id, legacy: false })])),
  },
}
