import { render } from 'preact'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/form.css'
import './styles/shell.css'
import './styles/views.css'
import './styles/timeline.css'
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
