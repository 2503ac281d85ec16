/** A markdown-it plugin that passes the source of a `mermaid` fence to the component Mermaid. */
export function mermaidFences(md) {
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]
    return info.trim() === 'mermaid'
      ? `<Mermaid source="${encodeURIComponent(content.trim())}" />`
      : fence(tokens, index, ...rest)
  }
}
