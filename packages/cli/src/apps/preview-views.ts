/** `portcall apps preview`: the inspector, at a tool with a view. */
import type { ServerLike } from 'portcall'
import { usageError } from '../cli-error.ts'
import type { Invocation } from '../command.ts'
import type { ConnectionValues } from '../command-line/flags.ts'
import type { ExitReason } from '../exit-codes.ts'
import { runInspector } from '../inspector/run.ts'
import { serveWatched } from '../serve/watch.ts'
import type { AppsFlags } from './flags.ts'
import { readFirstSetting, readViewCalls } from './views.ts'

/** The options of other actions and commands, which would have no effect here. */
const UNUSED = [
  'answer',
  'no-input',
  'record',
  'text',
  'since',
  'junit',
  'strict',
  'out',
  'update',
  'threshold',
  'browser',
] as const

/** Opens the inspector until Ctrl-C. It calls the tool, and shows the view. A module is loaded again when its code or that of the view changes. */
export async function previewViews({
  flags,
  server,
  io,
}: Pick<Invocation, 'server' | 'io'> & { readonly flags: AppsFlags & Partial<ConnectionValues> }): Promise<ExitReason> {
  const unused = UNUSED.find((name) => {
    const value: unknown = flags[name]
    return value !== undefined && value !== false && (value as readonly string[]).length !== 0
  })
  if (unused) throw usageError(`--${unused} is not for apps preview`)
  const settings = await readFirstSetting(flags)
  const watched = new Map<string, ServerLike>()
  return runInspector(
    { flags, server, args: 'location' in server ? [server.location] : [], io },
    {
      title: 'Preview',
      async loadModule(path, onReload) {
        const served = watched.get(path) ?? serveWatched(path, io, onReload)
        watched.set(path, served)
        return served
      },
      async onConnected({ id, connection }, backend) {
        const [call] = await readViewCalls(flags, connection.client)
        if (!call) return io.log('The server has no tool with a view')
        const { tool, args, missing } = call
        backend.showFirst({ serverId: id, tool, settings, ...(missing.length === 0 && { arguments: args }) })
      },
    },
  )
}
