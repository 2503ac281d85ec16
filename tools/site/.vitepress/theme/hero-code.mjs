import { h } from 'vue'
import { data } from './hero-code.data.mjs'

/** The code sample at the top of the home page. */
export const HeroCode = () =>
  h('figure', { class: 'hero-code' }, [h('figcaption', 'server.ts'), h('div', { class: 'vp-doc', innerHTML: data.html })])
