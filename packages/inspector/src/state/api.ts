import { pageKey } from './page-key.ts'
import type { CommandName, CommandResponse, InspectorCommands, InspectorEvent, InspectorFailure } from './protocol.ts'

/** A command that failed, with what the back end says about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly failure: InspectorFailure

  constructor(failure: InspectorFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Sends a command to the back end. @throws CommandError if the back end refuses it or cannot be reached. */
export async function send<Name extends CommandName>(
  name: Name,
  params: InspectorCommands[Name]['params'],
  signal?: AbortSignal,
): Promise<InspectorCommands[Name]['result']> {
  const response = await post({ name, params }, signal)
  if (response.status === 401) throw new CommandError(SIGNED_OUT)
  const text = await response.text()
  const answer = readAnswer<Name>(text)
  if (!answer) throw new CommandError({ code: 'INVALID_RESPONSE', message: `HTTP ${response.status}: ${text.slice(0, 200)}` })
  if (!answer.ok) throw new CommandError(answer.error)
  return answer.result
}

const SIGNED_OUT: InspectorFailure = {
  code: 'SIGNED_OUT',
  message: 'This page is no longer signed in to the inspector.',
  hint: 'Open the link that `portcall inspect` prints.',
}

async function post(body: unknown, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch('./api/command', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-inspector-key': pageKey },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new CommandError({
      code: 'UNREACHABLE',
      message: 'The inspector does not respond.',
      hint: 'Check that `portcall inspect` still runs in its terminal.',
    })
  }
}

function readAnswer<Name extends CommandName>(text: string): CommandResponse<Name> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isAnswer<Name>(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isAnswer = <Name extends CommandName>(value: unknown): value is CommandResponse<Name> =>
  typeof value === 'object' && value !== null && 'ok' in value

/** Returns any error as a failure that can be shown. */
export function failureOf(error: unknown): InspectorFailure {
  if (error instanceof CommandError) return error.failure
  return { code: 'FAILED', message: error instanceof Error ? error.message : String(error) }
}

/** The state of the connection to the back end. */
export type LinkStatus = 'connecting' | 'open' | 'lost'

/** Listens to the events of the back end until `close`. The browser reconnects by itself and receives what it has missed. */
export function openEvents(onEvent: (event: InspectorEvent) => void, onStatus: (status: LinkStatus) => void): { close(): void } {
  const source = new EventSource(`./api/events?key=${encodeURIComponent(pageKey)}`)
  source.onopen = () => onStatus('open')
  source.onerror = () => onStatus('lost')
  source.onmessage = ({ data }) => onEvent(JSON.parse(data))
  return { close: () => source.close() }
}
