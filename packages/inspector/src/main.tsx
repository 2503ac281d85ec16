import { render } from 'preact'
import './styles/index.css'
import { openEvents } from './state/api.ts'
import { followTheme } from './state/preferences.ts'
import { followAddress } from './state/route.ts'
import { applyEvent, store } from './state/store.ts'
import { App } from './views/shell/app.tsx'

followTheme()
followAddress()
openEvents(applyEvent, (status) => {
  store.link.value = status
})
const root = document.getElementById('app')
if (root) render(<App />, root)
