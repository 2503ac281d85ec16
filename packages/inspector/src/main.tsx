import { effect, untracked } from '@preact/signals'
import { render } from 'preact'
import './styles/index.css'
import { openEvents } from './state/api.ts'
import { followTheme } from './state/preferences.ts'
import { followAddress } from './state/route.ts'
import { applyEvent, store } from './state/store.ts'
import { followFirstView } from './views/apps/first-view.ts'
import { App } from './views/shell/app.tsx'
import { showFirstServer } from './views/shell/connecting.ts'

followTheme()
followAddress()
const stopWaiting = effect(() => {
  if (!store.isLoaded.value) return
  untracked(showFirstServer)
  queueMicrotask(() => stopWaiting())
})
followFirstView()
openEvents(applyEvent, (status) => {
  store.link.value = status
})
const root = document.getElementById('app')
if (root) render(<App />, root)
