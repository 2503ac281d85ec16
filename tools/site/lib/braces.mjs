/** A markdown-it plugin that shows `{{ }}` as it is written. Vue would read it as an expression of the page and render an empty one instead. */
export function bracesAsText(md) {
  const { text } = md.renderer.rules
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;')
  md.core.ruler.push('braces-as-text', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'code_inline') token.attrSet('v-pre', '')
    }
  })
}
