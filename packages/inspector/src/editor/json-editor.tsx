import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { parseText } from '../schema/value.ts'
import type { CodeEditor } from './code-editor.ts'

interface JsonEditorProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly label: string
  /** Called for Ctrl-Enter and ⌘-Enter. */
  readonly onSubmit?: () => void
}

/** An editor for JSON. It is loaded when it is first needed; until then, and where it cannot be loaded, it is a plain text area. */
export function JsonEditor({ text, onChange, label, onSubmit }: JsonEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | undefined>(undefined)
  const isLoaded = useSignal(false)
  const latest = useRef({ text, onChange, onSubmit })
  latest.current = { text, onChange, onSubmit }
  const parsed = parseText(text)

  useEffect(() => {
    let isGone = false
    import('./code-editor.ts').then(
      ({ createCodeEditor }) => {
        if (isGone || !host.current) return
        editor.current = createCodeEditor(host.current, {
          text: latest.current.text,
          label,
          onChange: (next) => latest.current.onChange(next),
          onSubmit: () => latest.current.onSubmit?.(),
        })
        isLoaded.value = true
      },
      () => {},
    )
    return () => {
      isGone = true
      editor.current?.destroy()
    }
  }, [])
  useEffect(() => editor.current?.setText(text), [text, isLoaded.value])

  return (
    <div class="json-editor">
      <div ref={host} class="code-editor" hidden={!isLoaded.value} />
      {!isLoaded.value && (
        <textarea
          class="mono"
          rows={10}
          aria-label={label}
          spellcheck={false}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      <p class="editor-status" role="status">
        {parsed.ok ? '' : parsed.message}
      </p>
    </div>
  )
}
