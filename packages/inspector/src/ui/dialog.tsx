import type { ComponentChildren, JSX } from 'preact'
import { createPortal } from 'preact/compat'
import { useEffect, useId, useRef } from 'preact/hooks'
import { IconButton } from './basics.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly class?: string
  /** Hides the title from sight, for dialogs whose purpose is plain. */
  readonly bare?: boolean
}

/** A modal dialog: the browser's own, which keeps the focus and closes with Escape. */
export function Dialog({ title, onClose, children, class: className = '', bare = false }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={element}
      class={`dialog ${className}`}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close()
      }}
    >
      <header class={bare ? 'visually-hidden' : 'dialog-head'}>
        <h2 id={titleId}>{title}</h2>
        {!bare && <IconButton icon="close" label="Close" onClick={() => element.current?.close()} />}
      </header>
      {children}
    </dialog>,
    document.body,
  )
}
