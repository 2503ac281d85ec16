import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { sha256 } from '../../../../util/src/digest.ts'
import { showInvisible } from '../../../../util/src/printable.ts'
import { randomId } from '../../../../util/src/random.ts'
import { authorizationKey } from '../../jsonrpc/authorization-key.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import { openStore } from '../../stores/open-store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { type Approver, MAX_SHOWN_LENGTH } from './approval-queue.ts'
import { refuseCall } from './refuse-call.ts'
import type { PolicyOutcome } from './report.ts'
import type { GatewayCall, PolicyDecision } from './types.ts'

/** The approval of calls. */
export interface ApprovalOptions {
  /** Asks the user of the client, if the client supports forms. Set it to false if users must not approve their own calls. Default: true. */
  readonly askUser?: boolean
  /** Decides about the calls that the user is not asked about, such as a queue of `createApprovalQueue`. Default: such calls are refused. */
  readonly approver?: Approver
  /** The store of the questions: each approval is used once. Several processes need a shared one. Default: in memory. */
  readonly store?: KeyValueStore
  /** Time for the user to answer, in milliseconds. Default: 5 minutes. */
  readonly ttlMs?: number
}

/** Decides about calls that need an approval. */
export interface CallApprovals {
  decide(call: GatewayCall, rule: string): Promise<{ readonly decision: PolicyDecision; readonly outcome: PolicyOutcome }>
}

type Answer = Awaited<ReturnType<CallApprovals['decide']>>

const PREFIX = 'portcall:approval:'
const KEY_PREFIX = 'approval-'
const TTL_MS = 300_000
const STORE_TIMEOUT_MS = 5000

/**
 * Creates approvals. An approval is bound to the server, the item, the arguments and the caller. It is used once: the question is kept in the
 * store until it is answered, and only one request can take it from there.
 */
export function createCallApprovals(options: ApprovalOptions = {}): CallApprovals {
  const { askUser = true, approver, ttlMs = TTL_MS } = options
  const store = openStore(options.store, STORE_TIMEOUT_MS)

  const ask = async (call: GatewayCall): Promise<Answer> => {
    const message = describeCall(call)
    if (message.length > MAX_SHOWN_LENGTH)
      return refuse(call, 'This call needs approval, and is too long to be shown to the user')
    const id = randomId(16)
    await store.set(await keyOf(call, id), await digestCall(call), { ttlMs })
    return { decision: { ask: { [KEY_PREFIX + id]: createForm(message) } }, outcome: 'asked' }
  }
  const takeAnswer = async (call: GatewayCall, [id, answer]: readonly [string, unknown]): Promise<Answer> => {
    const isTaken = await store.compareAndSet(await keyOf(call, id), { expected: await digestCall(call), value: undefined })
    if (!isTaken)
      return refuse(call, 'The approval of this call has expired or was used before. Send the call again to ask for another')
    if (isApproval(answer)) return { decision: 'allow', outcome: 'approved' }
    return { decision: refuseCall(call, 'The user did not approve this call'), outcome: 'declined' }
  }
  const queue = async (call: GatewayCall, rule: string, by: Approver): Promise<Answer> => {
    const { server, kind, name, method, args, caller } = call
    // A leading dash would make the id an option of the command line.
    const id = (await digestCall(call)).replace(/^-+/, '')
    const request = { id, server, kind, name, method, arguments: args, principal: caller.auth?.principal, rule }
    const state = await by.decide(request)
    if (state === 'approved') return { decision: 'allow', outcome: 'approved' }
    if (state === 'full') return refuse(call, 'Too many calls wait for approval. Send the call again later')
    if (state === 'too-large') return refuse(call, 'This call needs approval, and is too long to be shown to an approver')
    if (state === 'denied') return { decision: refuseCall(call, 'The approver denied this call'), outcome: 'declined' }
    const text = `This call waits for approval (request ${id}). Send it again, unchanged, when it is approved`
    return { decision: refuseCall(call, text), outcome: 'asked' }
  }
  return {
    async decide(call, rule) {
      const answer = findAnswer(call.answers)
      if (answer) return takeAnswer(call, answer)
      if (askUser && call.caller.capabilities.elicitation?.form) return ask(call)
      if (approver) return queue(call, rule, approver)
      return refuse(
        call,
        'This call needs approval, and this client cannot ask its user: it does not support elicitation with forms',
      )
    },
  }
}

/** Returns the key of a question. The questions of one principal form a group, and do not evict others from a store in memory. */
async function keyOf({ caller }: GatewayCall, id: string): Promise<string> {
  return `${PREFIX}${await sha256(JSON.stringify(caller.auth?.principal ?? null))}/${id}`
}

function refuse(call: GatewayCall, text: string): Answer {
  return { decision: refuseCall(call, text), outcome: 'refused' }
}

/** Identifies a call: the same caller with the same authorization, item and arguments have the same digest. */
function digestCall({ server, kind, name, method, args = {}, caller }: GatewayCall): Promise<string> {
  return sha256(canonicalJson([server, kind, name, method, args, authorizationKey(caller.auth)]))
}

function describeCall({ server, kind, name, args = {} }: GatewayCall): string {
  const text = Object.keys(args).length > 0 ? `\n\n${JSON.stringify(args, undefined, 2)}` : ''
  return showInvisible(`Approve this call of the ${kind} ${JSON.stringify(name)} on the server ${JSON.stringify(server)}?${text}`)
}

function createForm(message: string): InputRequest {
  const approve = { type: 'boolean', title: 'Approve', description: 'Allow this call, once' } as const
  const requestedSchema = { type: 'object', properties: { approve }, required: ['approve'] } as const
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } }
}

/** Returns the id of the question that was answered, and the answer. */
function findAnswer(answers: JsonObject | undefined): readonly [string, unknown] | undefined {
  const found = Object.entries(answers ?? {}).find(([key]) => key.startsWith(KEY_PREFIX))
  return found && [found[0].slice(KEY_PREFIX.length), found[1]]
}

function isApproval(answer: unknown): boolean {
  return isObject(answer) && answer.action === 'accept' && isObject(answer.content) && answer.content.approve === true
}
