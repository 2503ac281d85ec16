import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import { HeroCode } from './hero-code.mjs'
import Mermaid from './Mermaid.vue'
import './style.css'
import './hero.css'
import './reference.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': () => h(HeroCode) }),
  enhanceApp: ({ app }) => app.component('Mermaid', Mermaid),
}
