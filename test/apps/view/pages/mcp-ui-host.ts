/** A host that shows views with the React component of mcp-ui. With `hostContext`, version 7.1.1 sends it before it is connected, and the error is handled by nobody. */
import { AppRenderer } from '@mcp-ui/client'
import { createElement } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import type { Shown } from './shown.ts'

let root: Root | undefined

function show({ html, input, result, width = 400 }: Shown, sandbox: string): void {
  const element = document.createElement('div')
  element.style.width = `${width}px`
  document.body.replaceChildren(element)
  root?.unmount()
  root = createRoot(element)
  root.render(
    createElement(AppRenderer, {
      toolName: 'shown',
      html,
      sandbox: { url: new URL(sandbox) },
      toolInput: input ?? {},
      ...(result && { toolResult: result }),
      hostCapabilities: { serverTools: {}, openLinks: {} },
      onCallTool: (params: unknown) => window.callTool(params as never),
      onOpenLink: async (params: unknown) => {
        await window.tell('ui/open-link', params)
        return {}
      },
      onSizeChanged: (params: unknown) => void window.tell('size', params),
      onError: (error: Error) => void window.tell('error', error.message),
    }),
  )
}

Object.assign(window, { show })
