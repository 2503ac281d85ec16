import { SUPPORTED_VERSIONS } from '../../portcall/src/protocol/revisions.ts'
import type { BackendParts } from './backend-parts.ts'
import { checkParams, PARAMS } from './commands/check-params.ts'
import { COMMAND_HANDLERS } from './commands/handlers.ts'
import type { BackendOptions, CoreParts } from './core-parts.ts'
import { createDiagnosis } from './diagnosis/diagnosis.ts'
import { createWebhookReceiver } from './events/webhook-receiver.ts'
import { createCallbacks } from './http/callbacks.ts'
import { createOperations } from './operations/operations.ts'
import type { FirstView } from './protocol/views.ts'
import type { CommandName, InspectorState } from './protocol.ts'
import { createModel } from './questions/model.ts'
import { createQuestions } from './questions/questions.ts'
import { createRuleChecker } from './rules/rules.ts'
import { createInventories } from './servers/inventories.ts'
import { METHOD_NAMES } from './servers/method-names.ts'
import { createServerList } from './servers/server-list.ts'
import { createTaskNotes } from './servers/task-notes.ts'
import { createSharing } from './sharing/sharing.ts'
import { InspectorCommandError } from './state/command-error.ts'
import { createEventHub } from './state/event-hub.ts'
import { createInspectorFiles } from './state/files.ts'
import { createTimeline } from './timeline/timeline.ts'
import { createViewSandboxes } from './views/sandboxes.ts'

/** The back end of the inspector, without its HTTP server. */
export interface InspectorBackend extends BackendParts {
  /** Carries out a command. @throws InspectorCommandError, or the error of what failed. */
  execute(name: string, params: unknown): Promise<object>
  /** Shows a view on each page that is opened, and calls its tool. */
  showFirst(view: FirstView): void
  /** Tells the pages that the code of a server was loaded again: they call the tool of the view that they show again. */
  reportReload(serverId: string): void
  /** Disconnects from all servers, and ends their programs. */
  close(): Promise<void>
}

/** Creates a back end. `origin` returns the address of the page, once it is known. */
export function createBackend(options: BackendOptions, origin: () => string): InspectorBackend {
  const hub = createEventHub()
  const timeline = createTimeline(hub)
  const files = createInspectorFiles(options.directory)
  const tasks = createTaskNotes(files)
  const inventories = createInventories(hub, timeline, tasks)
  const questions = createQuestions(hub)
  const model = createModel(hub)
  const views = createViewSandboxes(hub)
  const callbacks = createCallbacks(() => `${origin()}oauth/callback`)
  const receiver = createWebhookReceiver()
  const operations = createOperations({ hub, timeline, inventories, receiver })
  const { info, loaders = {} } = options
  const servers = createServerList({
    files,
    inventories,
    context: {
      hub,
      timeline,
      questions,
      callbacks,
      loaders,
      createRules: createRuleChecker,
      info,
      hasModel: () => model.endpoint !== undefined,
      authOf: (serverId) => diagnosis.authOf(serverId),
      onTask: (serverId, task) => inventories.noteTask(servers.get(serverId), task),
      onConnection: (server) => {
        if (server.isConnected) inventories.follow(server)
      },
    },
  })
  const core: CoreParts = {
    options,
    hub,
    timeline,
    files,
    servers,
    inventories,
    tasks,
    operations,
    questions,
    model,
    views,
    callbacks,
  }
  const diagnosis = createDiagnosis(core)
  const sharing = createSharing(core)
  const parts: BackendParts = {
    ...core,
    diagnosis,
    sharing,
    state: () => ({ ...stateOf(parts), ...(firstView && { firstView }) }),
  }
  let firstView: FirstView | undefined
  return {
    ...parts,
    showFirst(view) {
      firstView = view
      hub.publish({ type: 'first-view', view })
    },
    reportReload: (serverId) => hub.publish({ type: 'reloaded', serverId }),
    async execute(name, params) {
      if (!Object.hasOwn(PARAMS, name)) throw new InspectorCommandError('UNKNOWN_COMMAND', `There is no command ${name}`)
      const command = name as CommandName
      const checked = checkParams(command, params)
      return (await COMMAND_HANDLERS[command](checked as never, parts)) ?? {}
    },
    async close() {
      diagnosis.close()
      await sharing.close()
      await views.close()
      await receiver.close()
      await Promise.all(servers.all.map((server) => server.disconnect()))
    },
  }
}

function stateOf(parts: BackendParts): InspectorState {
  const { options, servers, inventories, operations, questions, sharing, diagnosis, timeline, model } = parts
  return {
    version: options.info.version,
    protocol: 1,
    revisions: [...SUPPORTED_VERSIONS].reverse(),
    methods: METHOD_NAMES,
    servers: servers.all.map((server) => server.state),
    inventories: inventories.all,
    operations: operations.all,
    questions: questions.all,
    answers: questions.answers,
    calls: sharing.calls,
    doctors: diagnosis.doctors,
    flows: diagnosis.flows,
    recordings: sharing.recordings,
    replays: sharing.replays,
    timeline: timeline.state,
    ...(model.endpoint && { model: model.endpoint }),
  }
}
