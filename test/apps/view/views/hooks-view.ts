/** The component that the hooks are tried with, in every framework. */
import type { App } from 'portcall/apps'
import type { AppHooks } from 'portcall/apps/react'

type CreateElement<Element> = (type: never, props: object | null, ...children: never[]) => Element

interface Framework<Element> {
  readonly createElement: CreateElement<Element>
  readonly useState: (first: boolean) => readonly [boolean, (next: boolean) => void]
}

type Tools = { echo: { input: { text: string }; output: { text: string } } }

/** Creates the component. A second one is mounted by a click, and lists all that it renders. */
export function createView<Element>(hooks: AppHooks, { createElement, useState }: Framework<Element>): () => Element {
  const element = (type: unknown, props: object | null, ...children: unknown[]) =>
    createElement(type as never, props, ...(children as never[]))
  const late: unknown[] = []

  function Late({ app }: { app: App<Tools> | undefined }) {
    const other = hooks.useApp<Tools>({ name: 'late', version: '1' })
    late.push([hooks.useToolResult(app)?.structuredContent.text ?? null, hooks.useHostContext(other.app).theme ?? null])
    return element('pre', { id: 'late' }, JSON.stringify(late))
  }

  return function View() {
    const { app, error } = hooks.useApp<Tools>({ name: 'view', version: '1' })
    const [isLate, setLate] = useState(false)
    const state = {
      connected: app !== undefined,
      error: error === undefined ? null : (error as Error & { code?: string }).code,
      input: hooks.useToolInput(app) ?? null,
      result: hooks.useToolResult(app)?.structuredContent ?? null,
      cancelled: hooks.useToolCancelled(app)?.reason ?? null,
      theme: hooks.useHostContext(app).theme ?? null,
    }
    return element(
      'main',
      null,
      element('pre', { id: 'state' }, JSON.stringify(state)),
      element('button', { onClick: () => setLate(true) }, 'more'),
      isLate ? element(Late, { app }) : null,
    )
  }
}
