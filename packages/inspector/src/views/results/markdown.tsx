import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Spinner } from '../../ui/basics.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

/** Markdown from a server, without HTML and pictures. The code for it is loaded when it is first needed. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const html = useSignal<string | undefined>(undefined)
  const failed = useSignal(false)
  useEffect(() => {
    let isGone = false
    import('./render-markdown.ts').then(
      ({ renderMarkdown }) => {
        if (!isGone) html.value = renderMarkdown(text)
      },
      () => {
        failed.value = true
      },
    )
    return () => {
      isGone = true
    }
  }, [text])
  if (failed.value)
    return (
      <p class="plain-text">
        <Untrusted text={text} />
      </p>
    )
  if (html.value === undefined) return <Spinner label="Rendering" />
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html.value }} />
}
