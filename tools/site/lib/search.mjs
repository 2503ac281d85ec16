const CODE_AND_TABLES = /<(div class="language-|table)[\s\S]*?<\/(div|table)>/g

/** Returns the HTML of a page that the search indexes. The API reference is found by its headings and descriptions only. */
export function searchedHtml(source, env, md) {
  if (env.frontmatter?.search === false) return ''
  const html = md.render(source, env)
  return env.relativePath.startsWith('reference/api/') ? html.replace(CODE_AND_TABLES, '') : html
}
