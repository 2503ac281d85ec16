/** The drawing that both views share: a table of 40 rows. Resolves once the browser has painted it. */
export function draw({ rows }) {
  const body = document.createElement('tbody')
  for (const { name, value } of rows) {
    const row = body.insertRow()
    row.insertCell().textContent = name
    row.insertCell().textContent = value
  }
  document.querySelector('table').replaceChildren(body)
}

/** Tells the host that what was drawn is on the screen: a task after the next frame. */
export function painted() {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => parent.postMessage('painted', '*')
    port2.postMessage(undefined)
  })
}
