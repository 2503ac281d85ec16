import type { ComponentChildren, JSX } from 'preact'
import type { ConnectionSettings, InspectorTarget, LoggingLevel } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { Button, IconButton } from '../../ui/basics.tsx'

interface SettingsFormProps {
  readonly id: string
  readonly settings: ConnectionSettings
  readonly onChange: (settings: ConnectionSettings) => void
  readonly kind: InspectorTarget['kind'] | undefined
  readonly name: string
  readonly onName: (name: string) => void
}

/** Removes the members that are `undefined`, because a setting that is not there has its default. */
function changed(
  settings: ConnectionSettings,
  change: { readonly [Key in keyof ConnectionSettings]?: ConnectionSettings[Key] | undefined },
): ConnectionSettings {
  const merged = Object.entries({ ...settings, ...change }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(merged)
}

const LEVELS: readonly LoggingLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

const DECLARED = [
  ['elicitForm', 'Form elicitation'],
  ['elicitUrl', 'URL elicitation'],
  ['sampling', 'Sampling'],
  ['roots', 'Roots'],
  ['tasks', 'Tasks'],
  ['skills', 'Skills'],
  ['events', 'Events'],
  ['views', 'Views (Apps)'],
] as const

const TIMES = [
  ['connectTimeoutMs', 'Connect', 60_000],
  ['probeTimeoutMs', 'Probe', 5000],
  ['requestTimeoutMs', 'Request', 60_000],
  ['totalTimeoutMs', 'Total', 600_000],
] as const

/** How to connect: all of it optional. */
export function SettingsForm({ id, settings, onChange, kind, name, onName }: SettingsFormProps): JSX.Element {
  const set = (change: Parameters<typeof changed>[1]): void => onChange(changed(settings, change))
  return (
    <div class="settings-form">
      <Labeled label="Name" id={`${id}-name`}>
        <input
          id={`${id}-name`}
          value={name}
          placeholder="Chosen by the server"
          onInput={(event) => onName(event.currentTarget.value)}
        />
      </Labeled>
      <Labeled label="Protocol revision" id={`${id}-revision`}>
        <select
          id={`${id}-revision`}
          value={settings.revision ?? ''}
          onChange={(event) => set({ revision: event.currentTarget.value || undefined })}
        >
          <option value="">Automatic</option>
          {store.revisions.value.map((revision) => (
            <option key={revision} value={revision}>
              {revision}
            </option>
          ))}
        </select>
      </Labeled>
      <Labeled label="Era" id={`${id}-era`}>
        <select id={`${id}-era`} value={settings.era ?? ''} onChange={(event) => set({ era: eraOf(event.currentTarget.value) })}>
          <option value="">Detected</option>
          <option value="modern">Modern</option>
          <option value="legacy">Legacy</option>
          <option value="http+sse">HTTP+SSE</option>
        </select>
      </Labeled>
      <Labeled label="Log level" id={`${id}-level`}>
        <select
          id={`${id}-level`}
          value={settings.logLevel ?? ''}
          onChange={(event) => set({ logLevel: LEVELS.find((level) => level === event.currentTarget.value) })}
        >
          <option value="">As the server decides</option>
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
      </Labeled>
      {kind !== 'program' && kind !== 'module' && (
        <Pairs
          id={`${id}-headers`}
          title="HTTP headers"
          item="header"
          pairs={settings.headers ?? {}}
          onChange={(headers) => set({ headers })}
        />
      )}
      {kind !== 'url' && (
        <>
          <Pairs
            id={`${id}-env`}
            title="Environment variables"
            item="variable"
            pairs={settings.env ?? {}}
            onChange={(env) => set({ env })}
          />
          <Labeled label="Working directory" id={`${id}-cwd`}>
            <input
              id={`${id}-cwd`}
              class="mono"
              value={settings.cwd ?? ''}
              onInput={(event) => set({ cwd: event.currentTarget.value || undefined })}
            />
          </Labeled>
        </>
      )}
      <fieldset class="wide">
        <legend>Timeouts in milliseconds</legend>
        <div class="four">
          {TIMES.map(([key, label, usual]) => (
            <label key={key}>
              <span>{label}</span>
              <input
                inputMode="numeric"
                placeholder={String(usual)}
                value={settings[key] ?? ''}
                onInput={(event) => set({ [key]: Number(event.currentTarget.value) || undefined })}
              />
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset class="wide">
        <legend>Capabilities to declare</legend>
        <div class="checks">
          {DECLARED.map(([key, label]) => (
            <label key={key} class="check">
              <input
                type="checkbox"
                checked={settings.declare?.[key] !== false}
                onChange={(event) => set({ declare: { ...settings.declare, [key]: event.currentTarget.checked } })}
              />
              <span>{label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <label class="check wide">
        <input
          type="checkbox"
          checked={settings.signIn !== false}
          onChange={(event) => set({ signIn: event.currentTarget.checked })}
        />
        <span>Sign in with OAuth when the server demands it</span>
      </label>
    </div>
  )
}

const eraOf = (text: string): ConnectionSettings['era'] =>
  text === 'modern' || text === 'legacy' || text === 'http+sse' ? text : undefined

/** An input with its label above it. */
export function Labeled({ label, id, children }: { label: string; id: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="labeled">
      <label for={id}>{label}</label>
      {children}
    </div>
  )
}

interface PairsProps {
  readonly id: string
  readonly title: string
  readonly item: string
  readonly pairs: Readonly<Record<string, string>>
  readonly onChange: (pairs: Readonly<Record<string, string>> | undefined) => void
}

/** Names and values, such as headers. */
export function Pairs({ id, title, item, pairs, onChange }: PairsProps): JSX.Element {
  const entries = Object.entries(pairs)
  const replace = (index: number, next: readonly [string, string] | undefined): void => {
    const changedEntries = entries.flatMap((entry, at) => (at === index ? (next ? [next] : []) : [entry]))
    onChange(changedEntries.length === 0 ? undefined : Object.fromEntries(changedEntries))
  }
  return (
    <fieldset class="wide pairs">
      <legend>{title}</legend>
      {entries.map(([name, value], index) => (
        <div key={index} class="pair">
          <input
            class="mono"
            aria-label={`Name of ${item} ${index + 1}`}
            placeholder="Name"
            value={name}
            onChange={(event) => replace(index, [event.currentTarget.value, value])}
          />
          <input
            class="mono"
            aria-label={`Value of ${item} ${index + 1}`}
            placeholder="Value"
            value={value}
            onInput={(event) => replace(index, [name, event.currentTarget.value])}
          />
          <IconButton icon="close" label={`Remove ${item} ${index + 1}`} onClick={() => replace(index, undefined)} />
        </div>
      ))}
      <Button kind="quiet" icon="plus" class="field-add" onClick={() => onChange({ ...pairs, '': '' })}>
        <span id={id}>Add a {item}</span>
      </Button>
    </fieldset>
  )
}
