import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { failureOf, send } from '../../state/api.ts'
import { draft } from '../../state/drafts.ts'
import type { ConnectionSettings, InspectorFailure, InspectorTarget } from '../../state/protocol.ts'
import { Button, Callout, Fold } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { addServer } from '../shell/connecting.ts'
import { SettingsForm } from './settings-form.tsx'
import { Sources } from './sources.tsx'

/** The meaning of the text in the field, as the back end reads it. */
type Reading =
  | { readonly target: InspectorTarget; readonly settings: ConnectionSettings }
  | { readonly failure: InspectorFailure }
  | undefined

const PAUSE_MS = 200

/** Asks the back end what a text means, after a pause in typing. Nothing is started or contacted. */
function useReading(text: string): Reading {
  const reading = useSignal<Reading>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    reading.value = undefined
    const timer = setTimeout(async () => {
      if (text.trim() === '') return
      const next = await send('parse-target', { text }, controller.signal).catch(
        (error): Reading => ({ failure: failureOf(error) }),
      )
      if (!controller.signal.aborted) reading.value = next
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text])
  return reading.value
}

/** Adds a server: one field for everything, settings below it, and the servers that this machine knows already. */
export function ConnectScreen(): JSX.Element {
  const text = draft('connect', () => '')
  const name = useSignal('')
  const settings = useSignal<ConnectionSettings>({})
  const reading = useReading(text.value)
  const connect = async (event: Event): Promise<void> => {
    event.preventDefault()
    const read = reading ?? (await send('parse-target', { text: text.value }).catch(() => undefined))
    if (!read || 'failure' in read) return
    const merged = { ...read.settings, ...settings.value }
    // The person has typed the whole command, and sees it below the field.
    const isConfirmed = read.target.kind === 'program'
    await addServer(read.target, { name: name.value, settings: merged, isConfirmed })
    text.value = ''
  }
  return (
    <div class="screen connect">
      <form class="connect-form" onSubmit={(event) => void connect(event)}>
        <h1>Connect to a server</h1>
        <p class="lead">Enter a URL, a command, a module, or a server of a configuration file.</p>
        <div class="connect-line">
          <input
            id="target"
            class="mono"
            aria-label="URL, command or file"
            aria-describedby="target-note"
            placeholder="https://example.com/mcp"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            autofocus
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value
            }}
          />
          <Button kind="primary" type="submit" disabled={text.value.trim() === ''}>
            Connect
          </Button>
        </div>
        <div id="target-note" class="connect-note" aria-live="polite">
          <ReadingNote reading={reading} hasText={text.value.trim() !== ''} onExample={(example) => (text.value = example)} />
        </div>
        <Fold title="Advanced">
          <SettingsForm
            id="connect"
            settings={settings.value}
            kind={reading && 'target' in reading ? reading.target.kind : undefined}
            name={name.value}
            onName={(next) => {
              name.value = next
            }}
            onChange={(next) => {
              settings.value = next
            }}
          />
        </Fold>
      </form>
      <Sources />
    </div>
  )
}

/** The inputs of the field besides the URL that its placeholder shows. */
const EXAMPLES = ['npx -y @modelcontextprotocol/server-everything', './server.ts', 'mcp.json:notes'] as const

function ReadingNote({
  reading,
  hasText,
  onExample,
}: {
  reading: Reading
  hasText: boolean
  onExample: (example: string) => void
}): JSX.Element {
  if (!hasText)
    return (
      <p class="examples">
        {EXAMPLES.map((example) => (
          <button key={example} type="button" class="example mono" onClick={() => onExample(example)}>
            {example}
          </button>
        ))}
      </p>
    )
  if (!reading) return <p class="muted">&nbsp;</p>
  if ('failure' in reading)
    return (
      <Callout tone="warn" title={<Untrusted text={reading.failure.message} />}>
        {reading.failure.hint && <p>{reading.failure.hint}</p>}
      </Callout>
    )
  return (
    <p>
      {explain(reading.target)} <code>{describeTarget(reading.target)}</code>
    </p>
  )
}

function explain(target: InspectorTarget): string {
  switch (target.kind) {
    case 'url':
      return 'Connects over HTTP to'
    case 'program':
      return 'Starts this program on your machine:'
    case 'module':
      return 'Runs this module on your machine:'
    case 'config':
      return 'Reads the configuration file, and shows what it starts before it does:'
    case 'embedded':
      return 'Connects to the server of this process'
  }
}

/** Returns a target as a person would type it. */
export function describeTarget(target: InspectorTarget): string {
  switch (target.kind) {
    case 'url':
      return target.url
    case 'program':
      return [target.command, ...target.args].map((part) => (/[\s"'$]/.test(part) ? JSON.stringify(part) : part)).join(' ')
    case 'module':
      return target.path
    case 'config':
      return `${target.path}:${target.name}`
    case 'embedded':
      return 'the embedded server'
  }
}
