import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../../jsonrpc/message.ts'
import { refusedBy } from '../../jsonrpc/refusal.ts'
import { type RedactionOptions, redactSecrets } from '../../logging/redact.ts'
import { type AuditLogOptions, auditLog } from '../../middleware/audit/audit-log.ts'
import { sizeOfJson } from '../../middleware/cut-result.ts'
import type { OnPolicyReport, PolicyReport } from './report.ts'
import type { GatewayItem, GatewayPolicy } from './types.ts'

/** Options of `auditPolicy`. */
export interface AuditPolicyOptions extends Pick<AuditLogOptions, 'to' | 'methods' | 'onFailure' | 'onError'> {
  /** Records the arguments, without secrets. Default: only their hash is recorded. */
  readonly arguments?: boolean
  /** Which further fields and texts are secrets, in addition to those that `redactSecrets` knows. */
  readonly redact?: RedactionOptions
}

/** A policy that records what other policies decide and how requests end. */
export interface AuditPolicy extends GatewayPolicy {
  /** Records the decision of a policy. Pass it to policies as `onReport`. */
  readonly onReport: OnPolicyReport
}

/** The decision about a request, and its item, while it is answered. */
interface Entry {
  item?: GatewayItem
  report?: PolicyReport
}

const METHODS = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
  'events/poll',
  'events/stream',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
] as const
const UNKNOWN = 'not found'

const NAMES: OptionNames<AuditPolicyOptions> = {
  to: 1,
  methods: 'texts',
  onFailure: ['refuse', 'continue'],
  onError: 1,
  arguments: 'boolean',
  redact: 'object',
}
const REQUIRED = { to: 'Pass the path of a file, or where records are written' }

/**
 * Creates a policy that writes one record for each request to an audit log whose records form a hash chain. A record has the caller, the server
 * and the item, the decision and its rule, the hash of the arguments, the outcome, the size, the duration and the trace id. Secrets are redacted.
 * Pass it as the first policy. Verify the log with `portcall audit verify FILE`.
 */
export function auditPolicy(options: AuditPolicyOptions): AuditPolicy {
  checkOptions('auditPolicy()', options, { names: NAMES, required: REQUIRED })
  const { arguments: recordsArguments = false, redact, ...log } = options
  const entries = new WeakMap<Request, Entry>()
  const record = auditLog({
    methods: METHODS,
    ...log,
    redact: redactSecrets(redact),
    details: (request, response) => describe(request, response, entries.get(request) ?? {}),
    ...(recordsArguments && { arguments: (args) => args }),
  })
  return {
    middleware: [
      (request, context, next) => {
        entries.set(request, {})
        return record(request, context, next)
      },
    ],
    visible(item, { request }) {
      const entry = request && entries.get(request)
      if (entry) entry.item = item
      return true
    },
    onReport(report) {
      const entry = entries.get(report.request)
      if (entry) entry.report = report
    },
  }
}

function describe({ params = {} }: Request, response: Response | undefined, { item, report }: Entry): JsonObject {
  const found = report?.item ?? item
  const isUnknown = !found && response !== undefined && !isSuccess(response)
  const { ref, _meta: meta } = params
  const completed = isObject(ref) ? (ref.name ?? ref.uri) : undefined
  const limit = response && refusedBy(response)
  const [decision, rule] = limit === undefined ? decisionOf(report, isUnknown) : ['limited', limit || undefined]
  const traceId = isObject(meta) && typeof meta.traceparent === 'string' ? meta.traceparent.split('-')[1] : undefined
  return {
    ...(found && { server: found.server, kind: found.kind, item: found.name }),
    ...(typeof completed === 'string' && { target: completed }),
    decision,
    ...(rule !== undefined && { rule }),
    ...(response && { bytes: sizeOfJson(isSuccess(response) ? response.result : response.error) }),
    ...(traceId && { traceId }),
  }
}

function decisionOf(report: PolicyReport | undefined, isUnknown: boolean): readonly [decision: string, rule: string | undefined] {
  return [report?.outcome ?? (isUnknown ? 'denied' : 'allowed'), report?.rule ?? (isUnknown ? UNKNOWN : undefined)]
}
