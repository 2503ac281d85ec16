import type { InputKind } from './input-kinds.ts'
import type { ClientCapabilities } from './types.ts'

/** The capabilities of a client that answers one kind of input, and nothing else. */
const INPUT_CAPABILITIES: { readonly [kind in InputKind]: ClientCapabilities } = {
  form: { elicitation: { form: {} } },
  url: { elicitation: { url: {} } },
  sampling: { sampling: { context: {} } },
  'sampling with tools': { sampling: { tools: {} } },
  roots: { roots: {} },
}

/** All kinds of input. */
export const INPUT_KINDS = Object.keys(INPUT_CAPABILITIES) as readonly InputKind[]

/** Returns the capabilities of a client that answers these kinds of input. */
export function capabilitiesForInputs(inputs: readonly InputKind[]): ClientCapabilities {
  const merged: ClientCapabilities = {}
  for (const input of inputs) {
    const { elicitation, sampling, roots } = INPUT_CAPABILITIES[input]
    if (elicitation) merged.elicitation = { ...merged.elicitation, ...elicitation }
    if (sampling) merged.sampling = { ...merged.sampling, ...sampling }
    if (roots) merged.roots = roots
  }
  return merged
}
