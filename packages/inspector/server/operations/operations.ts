import type { Tool } from 'portcall/client'
import type { JsonObject, Response } from 'portcall/jsonrpc'
import { delay } from '../../../util/src/timers.ts'
import type { WebhookReceiver } from '../events/webhook-receiver.ts'
import type { OperationOptions, OperationRequest, OperationState } from '../protocol/operations.ts'
import type { Inventories } from '../servers/inventories.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
import { InspectorCommandError, toFailure } from '../state/command-error.ts'
import type { EventHub } from '../state/event-hub.ts'
import { createRuns } from '../state/runs.ts'
import type { Timeline } from '../timeline/timeline.ts'
import { type CallScope, callScope } from '../wire/call-scope.ts'
import type { OperationContext } from './context.ts'
import { createOperationStates } from './operation-states.ts'
import { createRepetition, MAX_CONCURRENCY, MAX_REPEATS } from './repeat.ts'
import { isValidated, resultDespite, runOperation } from './run-operation.ts'

/** The operations that the user has started on servers. */
export interface Operations {
  readonly all: readonly OperationState[]
  /** Starts an operation and returns its id. @throws InspectorCommandError if the server is not connected. */
  start(server: ManagedServer, request: OperationRequest, options: OperationOptions): string
  cancel(operationId: string): void
  /** Resolves to the state when the operation has ended, or after a time. */
  wait(operationId: string, timeoutMs: number): Promise<OperationState>
}

export interface OperationsOptions {
  readonly receiver: WebhookReceiver
  readonly hub: EventHub
  readonly timeline: Timeline
  readonly inventories: Inventories
}

/** Creates the list of operations. */
export function createOperations({ hub, timeline, inventories, receiver }: OperationsOptions): Operations {
  const states = createOperationStates(hub, timeline)
  const running = createRuns('operation')
  const completions = new Map<string, string>()

  const cancelOlderCompletion = (server: ManagedServer, request: OperationRequest, id: string): void => {
    if (request.type !== 'complete') return
    const key = JSON.stringify([server.id, request.ref, request.argument.name])
    const older = completions.get(key)
    if (older !== undefined) running.stop(older, 'A newer completion replaces this one')
    completions.set(key, id)
  }
  return {
    get all() {
      return states.all
    },
    start(server, request, options) {
      checkOptions(options)
      void server.connection
      return running.start(async (id, signal) => {
        cancelOlderCompletion(server, request, id)
        states.add({ id, serverId: server.id, request, options, status: 'running', startedAt: Date.now(), entryIds: [] })
        const update = (change: Partial<OperationState>): void => states.update(id, change)
        update(await runToEnd(id, request, { id, receiver, server, options, signal, inventories, update }))
      }, states.update)
    },
    cancel: running.cancel,
    async wait(operationId, timeoutMs) {
      const stop = new AbortController()
      await Promise.race([running.ended(operationId), delay(timeoutMs, stop.signal).catch(() => {})])
      stop.abort()
      const state = states.get(operationId)
      if (!state) throw new InspectorCommandError('NOT_FOUND', 'There is no such operation')
      return state
    },
  }
}

type Ending = Partial<OperationState> & Pick<OperationState, 'status'>

/** Runs an operation. Resolves to how it ended. */
async function runToEnd(id: string, request: OperationRequest, context: OperationContext): Promise<Ending> {
  const startedAt = performance.now()
  let response: Response | undefined
  const scope: CallScope = {
    operationId: id,
    onResponse(received) {
      response = received
    },
  }
  const ending = await runRequest(request, context, scope).catch((error: unknown): Ending => {
    const invalid = resultDespite(error, response)
    if (invalid) return { status: 'done', ...invalid }
    return context.signal.aborted ? { status: 'cancelled' } : { status: 'failed', failure: toFailure(error) }
  })
  return { ...ending, durationMs: performance.now() - startedAt }
}

async function runRequest(request: OperationRequest, context: OperationContext, scope: CallScope): Promise<Ending> {
  const { options, server, inventories, signal, update } = context
  const once = (): Promise<JsonObject> => runOperation(request, context)
  const run = (): Promise<JsonObject> =>
    options.repeat ? createRepetition(options.repeat, (repeated) => update({ repeated })).run(once, signal) : once()
  const result = await callScope.run(scope, run)
  const tools = (inventories.get(server.id, 'tools')?.items ?? []) as readonly Tool[]
  return { status: 'done', result, ...(isValidated(request, result, tools) && { issues: [] }) }
}

function checkOptions({ repeat }: OperationOptions): void {
  if (!repeat) return
  const { count, perSecond = 1, concurrency = 1 } = repeat
  const isIn = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most
  if (!isIn(count, MAX_REPEATS)) throw new InspectorCommandError('INVALID_PARAMS', `count must be 1 to ${MAX_REPEATS}`)
  if (!isIn(concurrency, MAX_CONCURRENCY))
    throw new InspectorCommandError('INVALID_PARAMS', `concurrency must be 1 to ${MAX_CONCURRENCY}`)
  if (!(perSecond > 0)) throw new InspectorCommandError('INVALID_PARAMS', 'perSecond must be positive')
}
