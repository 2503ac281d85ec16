import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { notify, run } from '../../state/actions.ts'
import { type Theme, theme } from '../../state/preferences.ts'
import { store } from '../../state/store.ts'
import { Badge, Button, IconButton } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { Labeled } from '../connect/settings-form.tsx'

/** The settings of the inspector itself. */
export function SettingsScreen(): JSX.Element {
  return (
    <div class="screen stack wide-gap narrow">
      <header class="stack tight">
        <h1>Settings</h1>
        <p class="muted">Portcall {store.version.value}</p>
      </header>
      <Appearance />
      <TimelineSettings />
      <ModelSettings />
      <Answers />
    </div>
  )
}

function Appearance(): JSX.Element {
  return (
    <section class="stack tight">
      <h2>Appearance</h2>
      <Labeled label="Theme" id="theme">
        <select
          id="theme"
          class="inline-select"
          value={theme.value}
          onChange={(event) => (theme.value = themeOf(event.currentTarget.value))}
        >
          <option value="system">As the system</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </Labeled>
    </section>
  )
}

const themeOf = (text: string): Theme => (text === 'light' || text === 'dark' ? text : 'system')

function TimelineSettings(): JSX.Element {
  const { limit } = store.timelineState.value
  return (
    <section class="stack tight">
      <h2>Timeline</h2>
      <Labeled label="Entries to keep, at most 50,000" id="limit">
        <input
          id="limit"
          class="number"
          inputMode="numeric"
          value={limit}
          onChange={(event) => void run('set-timeline-limit', { limit: Number(event.currentTarget.value) })}
        />
      </Labeled>
    </section>
  )
}

function ModelSettings(): JSX.Element {
  const url = useSignal(store.model.value?.url ?? '')
  const model = useSignal(store.model.value?.model ?? '')
  const apiKey = useSignal('')
  const save = async (event: Event): Promise<void> => {
    event.preventDefault()
    const next = { url: url.value, model: model.value, ...(apiKey.value && { apiKey: apiKey.value }) }
    if (await run('set-model', { model: next })) notify('The model drafts answers to sampling when you ask for it.')
    apiKey.value = ''
  }
  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      <div class="stack tight">
        <h2>Model for sampling</h2>
        <p class="muted">
          Off by default. An endpoint for chat completions drafts answers when you ask for it. The key stays in the memory of the
          inspector.
        </p>
      </div>
      <Labeled label="Endpoint" id="model-url">
        <input
          id="model-url"
          class="mono"
          type="url"
          placeholder="http://127.0.0.1:11434/v1/chat/completions"
          value={url.value}
          onInput={(event) => (url.value = event.currentTarget.value)}
        />
      </Labeled>
      <Labeled label="Model" id="model-name">
        <input id="model-name" value={model.value} onInput={(event) => (model.value = event.currentTarget.value)} />
      </Labeled>
      <Labeled label="Key" id="model-key">
        <input
          id="model-key"
          type="password"
          autocomplete="off"
          value={apiKey.value}
          onInput={(event) => (apiKey.value = event.currentTarget.value)}
        />
      </Labeled>
      <div class="toolbar">
        <Button type="submit" disabled={url.value === '' || model.value === ''}>
          Save
        </Button>
        <Button kind="quiet" disabled={store.model.value === null} onClick={() => void run('set-model', { model: null })}>
          Turn off
        </Button>
      </div>
    </form>
  )
}

function Answers(): JSX.Element {
  const answers = store.answers.value
  return (
    <section class="stack tight">
      <h2>Saved answers</h2>
      {answers.length === 0 && <p class="muted">Answers that you save at a question appear here.</p>}
      <ul class="stack tight">
        {answers.map(({ id, kind, contains, automatic }) => (
          <li key={id} class="toolbar">
            <Badge>{kind}</Badge>
            <span>
              <Untrusted text={contains ?? 'Any question'} />
            </span>
            {automatic && <Badge tone="warn">automatic</Badge>}
            <span class="spread" />
            <IconButton
              icon="trash"
              label={`Delete the answer to ${contains ?? 'any question'}`}
              onClick={() => void run('delete-answer', { id })}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
