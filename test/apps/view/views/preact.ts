import * as hooks from 'portcall/apps/preact'
import { createElement, render } from 'preact'
import { useState } from 'preact/hooks'
import { createView } from './hooks-view.ts'

const View = createView(hooks, { createElement, useState })
const root = document.getElementById('root') as HTMLElement
const start = () => render(createElement(View, null), root)
start()
Object.assign(window, {
  again() {
    render(null, root)
    start()
  },
})
