/** A host with the bridge of the reference implementation. */
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
import type { Shown } from './shown.ts'

type Json = Record<string, unknown>

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; form-action 'none'"

declare global {
  interface Window {
    readonly callTool: (params: { name: string; arguments?: unknown }) => Promise<never>
    readonly tell: (event: string, value: unknown) => Promise<void>
    readonly show: (shown: Shown) => void
    readonly change: (context: Json) => void
  }
}

let bridge: AppBridge | undefined

function show({ html, context, capabilities, input, result, width = 400, cancelled }: Shown): void {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.style.cssText = `width: ${width}px; height: 150px; border: 0; display: block`
  document.documentElement.style.colorScheme = String(context?.theme ?? 'light')
  document.body.replaceChildren(frame)
  const { contentWindow } = frame
  if (!contentWindow) return
  addEventListener('message', ({ source, data }) => {
    if (source === contentWindow && typeof data?.method === 'string') void window.tell(data.method, data.params)
  })
  const host = new AppBridge(null, { name: 'host', version: '1.0.0' }, capabilities ?? { serverTools: {} }, {
    hostContext: context ?? {},
  })
  bridge = host
  host.oncalltool = (params) => window.callTool(params)
  host.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`
  }
  host.oninitialized = () => {
    void host.sendToolInput({ arguments: input ?? {} })
    if (result) void host.sendToolResult(result)
    if (cancelled) void host.sendToolCancelled({ reason: cancelled })
  }
  void host.connect(new PostMessageTransport(contentWindow, contentWindow))
  frame.srcdoc = html.replace(/<head[^>]*>/, `$&<meta http-equiv="Content-Security-Policy" content="${POLICY}">`)
}

Object.assign(window, { show, change: (context: Json) => bridge?.setHostContext({ ...context }) })
