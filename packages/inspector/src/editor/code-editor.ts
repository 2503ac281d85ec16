import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** An editor in the page. */
export interface CodeEditor {
  /** Replaces the text, if it differs. */
  setText(text: string): void
  destroy(): void
}

interface CodeEditorOptions {
  readonly text: string
  readonly label: string
  readonly onChange: (text: string) => void
  readonly onSubmit: () => void
}

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--ground)', color: 'var(--ink)', fontSize: '13px', minHeight: '160px', maxHeight: '50vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: 'none' },
  '.cm-tooltip': { backgroundColor: 'var(--ground)', color: 'var(--ink)', border: '1px solid var(--edge)' },
})

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--json-name)' },
  { tag: tags.string, color: 'var(--json-string)' },
  { tag: tags.number, color: 'var(--json-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--json-word)' },
])

/**
 * Creates an editor inside of an element. It lives in a shadow root: there CodeMirror adopts its style sheets, while in the document it would
 * add a style element, which the content security policy forbids.
 */
export function createCodeEditor(parent: HTMLElement, { text, label, onChange, onSubmit }: CodeEditorOptions): CodeEditor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  const submit = (): true => {
    onSubmit()
    return true
  }
  const submitKey = Prec.highest(keymap.of([{ key: 'Mod-Enter', run: submit }]))
  let isSetting = false
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        submitKey,
        lineNumbers(),
        foldGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        syntaxHighlighting(COLORS),
        json(),
        linter(lintJson, { delay: 400 }),
        // Tab leaves the editor after Escape, so that nobody is caught in it.
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.lineWrapping,
        EditorView.domEventHandlers({ beforeinput: replaceSelection }),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) onChange(update.state.doc.toString())
        }),
        THEME,
      ],
    }),
  })
  return {
    setText(next) {
      if (view.state.doc.toString() === next) return
      isSetting = true
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
      isSetting = false
    },
    destroy: () => view.destroy(),
  }
}

/**
 * Replaces a selection by what is typed. Browsers would do it themselves and keep the look of the old text with a style attribute, which the
 * content security policy forbids.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  if (event.inputType !== 'insertText' || event.data === null || view.composing || view.state.selection.main.empty) return false
  event.preventDefault()
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type' })
  return true
}

const parse = jsonParseLinter()

/** The empty text is no value, and no mistake. */
const lintJson = (view: EditorView): ReturnType<typeof parse> => (view.state.doc.toString().trim() === '' ? [] : parse(view))
