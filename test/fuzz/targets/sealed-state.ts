/** Sealed state that clients bring back: it opens only unchanged, for its purpose, its caller and its request. */
import { SealError } from '../../../packages/portcall/src/stores/sealing/seal.ts'
import { check, splitInput } from './pieces.ts'
import { change, fixedSealer } from './tokens.ts'

const sealer = fixedSealer()
const CONTEXT = { principal: 'ada', binding: 'request' }
const PAYLOAD = { step: 1 }
const real = sealer.seal('state', PAYLOAD, { ...CONTEXT, ttlMs: 1000 })

export async function fuzz(data: Buffer): Promise<void> {
  const [edits, text] = splitInput(data)
  const token = await real
  for (const state of [text.toString(), change(token, edits)]) {
    const opened = await sealer.open('state', state, CONTEXT).catch(refusal)
    check((opened !== undefined) === (state === token), 'exactly the real token opens')
    check((await sealer.open('cursor', state, CONTEXT).catch(refusal)) === undefined, 'it does not open for another purpose')
    check((await sealer.open('state', state, { principal: 'eve' }).catch(refusal)) === undefined, 'nor for another caller')
  }
}

function refusal(error: unknown): undefined {
  check(error instanceof SealError, 'a token is refused with SealError')
}
