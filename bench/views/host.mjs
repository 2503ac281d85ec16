/** The page of the host: it shows a view in a frame, and measures until the result of its tool is on the screen. The host is the same for all views. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
const REVISION = '2026-01-26'
const RESULT = {
  content: [{ type: 'text', text: '40 rows' }],
  structuredContent: { rows: Array.from({ length: 40 }, (_, index) => ({ name: `row ${index}`, value: index * 7 })) },
}

/** Shows a view whose tool has returned. Resolves to the milliseconds from the result to the painted view. */
window.show = (script) =>
  new Promise((resolve) => {
    const frame = document.createElement('iframe')
    frame.setAttribute('sandbox', 'allow-scripts')
    frame.style.cssText = 'width: 600px; height: 900px'
    const post = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
    const startedAt = performance.now()
    const answers = {
      'ui/initialize': ({ id }) =>
        post({
          id,
          result: {
            protocolVersion: REVISION,
            hostInfo: { name: 'bench', version: '1.0.0' },
            hostCapabilities: { serverTools: {} },
            hostContext: { theme: 'light', displayMode: 'inline', locale: 'en-US' },
          },
        }),
      'ui/notifications/initialized'() {
        post({ method: 'ui/notifications/tool-input', params: { arguments: {} } })
        post({ method: 'ui/notifications/tool-result', params: RESULT })
      },
    }
    const receive = ({ source, data }) => {
      if (source !== frame.contentWindow) return
      if (data !== 'painted') return answers[data.method]?.(data)
      removeEventListener('message', receive)
      const ms = performance.now() - startedAt
      frame.remove()
      resolve(ms)
    }
    addEventListener('message', receive)
    frame.srcdoc = `<!doctype html><html lang="en"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>View</title><table></table><script type="module">${script}</script></html>`
    document.body.append(frame)
  })
