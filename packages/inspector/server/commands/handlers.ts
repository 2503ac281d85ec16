import type { ServerSource } from '../protocol/servers.ts'
import type { CommandName } from '../protocol.ts'
import { toSourceServer } from '../servers/server-list.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { MAX_ENTRIES } from '../timeline/timeline.ts'
import { checkInspectorTarget, checkSettings } from './check-target.ts'
import { DIAGNOSIS_HANDLERS } from './diagnosis-handlers.ts'
import { getEntry } from './get-entry.ts'
import type { CommandHandlers } from './handler-types.ts'
import { SHARING_HANDLERS } from './sharing-handlers.ts'
import { VIEW_HANDLERS } from './view-handlers.ts'

const MIN_LIMIT = 100
const MAX_FOUND = 5000
const WAIT_MS = 30_000
const MAX_WAIT_MS = 600_000

const SERVER_HANDLERS: CommandHandlers<
  | 'get-state'
  | 'list-sources'
  | 'read-config'
  | 'parse-target'
  | 'add-server'
  | 'update-server'
  | 'connect-server'
  | 'disconnect-server'
  | 'remove-server'
  | 'save-server'
  | 'set-roots'
> = {
  'get-state': (_params, parts) => parts.state(),
  'list-sources': async (_params, { options, servers }) => {
    const saved: ServerSource = { kind: 'saved', title: 'Saved servers', path: '', servers: servers.saved.map(toSourceServer) }
    return { sources: [saved, ...((await options.sources?.list()) ?? [])] }
  },
  'read-config': async ({ path }, { options }) => {
    if (!options.sources) throw new InspectorCommandError('FAILED', 'This inspector cannot read files')
    return { source: await options.sources.read(path) }
  },
  'parse-target': async ({ text }, { options }) => {
    if (options.sources) return options.sources.parse(text)
    return { target: checkInspectorTarget({ kind: 'url', url: text.trim() }), settings: {} }
  },
  'add-server': async ({ target, name, settings = {} }, { servers }) => {
    const server = await servers.add({ target: checkInspectorTarget(target), name, settings: checkSettings(settings) })
    return { serverId: server.id, server: server.state }
  },
  'update-server': async ({ serverId, name, target, settings }, { servers }) => {
    const server = servers.get(serverId)
    await server.update({
      name,
      target: target && checkInspectorTarget(target),
      settings: settings && checkSettings(settings),
    })
    return { server: server.state }
  },
  'connect-server': ({ serverId, confirm }, { servers }) => servers.get(serverId).connect(confirm),
  'disconnect-server': ({ serverId }, { servers }) => servers.get(serverId).disconnect(),
  'remove-server': ({ serverId }, { servers }) => servers.remove(serverId),
  'save-server': ({ serverId, saved }, { servers }) => servers.save(serverId, saved),
  'set-roots': ({ serverId, roots }, { servers }) => {
    checkSettings({ roots })
    return servers.get(serverId).setRoots(roots)
  },
}

const OPERATION_HANDLERS: CommandHandlers<
  | 'operate'
  | 'cancel-operation'
  | 'wait-operation'
  | 'answer-question'
  | 'ask-model'
  | 'set-model'
  | 'save-answer'
  | 'delete-answer'
> = {
  operate: ({ serverId, request, options = {} }, { servers, operations }) => ({
    operationId: operations.start(servers.get(serverId), request, options),
  }),
  'cancel-operation': ({ operationId }, { operations }) => operations.cancel(operationId),
  'wait-operation': async ({ operationId, timeoutMs = WAIT_MS }, { operations }) => ({
    operation: await operations.wait(operationId, Math.min(timeoutMs, MAX_WAIT_MS)),
  }),
  'answer-question': ({ questionId, answer }, { questions }) => {
    const late = questions.answer(questionId, answer)
    return late === undefined ? {} : { late }
  },
  'ask-model': async ({ questionId }, { questions, model }) => {
    const { request } = questions.get(questionId)
    if (request.kind !== 'sampling') throw new InspectorCommandError('INVALID_PARAMS', 'The question is not for a model')
    return { draft: await model.draft(request.params) }
  },
  'set-model': ({ model: endpoint }, { model }) => model.set(endpoint ?? null),
  'save-answer': ({ answer }, { questions }) => ({ id: questions.saveAnswer(answer) }),
  'delete-answer': ({ id }, { questions }) => questions.deleteAnswer(id),
}

const TIMELINE_HANDLERS: CommandHandlers<
  'get-entry' | 'search-timeline' | 'clear-timeline' | 'set-timeline-limit' | 'pause-timeline' | 'reveal'
> = {
  'get-entry': ({ entryId }, { timeline }) => getEntry(timeline, entryId),
  'search-timeline': ({ query }, { timeline }) => ({ entryIds: query === '' ? [] : timeline.search(query, MAX_FOUND) }),
  'clear-timeline': ({ serverId }, { timeline }) => timeline.clear(serverId),
  'set-timeline-limit': ({ limit }, { timeline }) => {
    if (!Number.isInteger(limit) || limit < MIN_LIMIT || limit > MAX_ENTRIES)
      throw new InspectorCommandError('INVALID_PARAMS', `The limit must be ${MIN_LIMIT} to ${MAX_ENTRIES}`)
    timeline.setLimit(limit)
  },
  'pause-timeline': ({ paused }, { timeline }) => timeline.pause(paused),
  reveal: (params, { timeline, diagnosis }) => {
    if ('flowId' in params) return { value: diagnosis.reveal(params.flowId, params.placeholder) }
    const { headers } = timeline.get(params.entryId)?.details ?? {}
    const value = headers?.[params.side]?.[params.header.toLowerCase()]
    if (value === undefined) throw new InspectorCommandError('NOT_FOUND', 'There is no such header')
    return { value }
  },
}

/** All commands. */
export const COMMAND_HANDLERS: CommandHandlers<CommandName> = {
  ...SERVER_HANDLERS,
  ...OPERATION_HANDLERS,
  ...TIMELINE_HANDLERS,
  ...DIAGNOSIS_HANDLERS,
  ...SHARING_HANDLERS,
  ...VIEW_HANDLERS,
}
