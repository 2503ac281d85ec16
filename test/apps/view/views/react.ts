import * as hooks from 'portcall/apps/react'
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createView } from './hooks-view.ts'

const View = createView(hooks, { createElement, useState })
const start = () => {
  const root = createRoot(document.getElementById('root') as HTMLElement)
  root.render(createElement(StrictMode, null, createElement(View)))
  return () => root.unmount()
}
let stop = start()
Object.assign(window, {
  again() {
    stop()
    stop = start()
  },
})
