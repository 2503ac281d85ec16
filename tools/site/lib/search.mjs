const CODE_AND_TABLES = /<(div class="language-|table)[\s\S]*?<\/(div|table)>/g

/** Returns the HTML of a page that the search indexes. The API reference is found by its headings and descriptions only. */
function searchedHtml(source, env, md) {
  if (env.frontmatter?.search === false) return ''
  const html = md.render(source, env)
  return env.relativePath.startsWith('reference/api/') ? html.replace(CODE_AND_TABLES, '') : html
}

/**
 * Ranks the start of a page above its sections, guides above the API reference, and both above the migration guides. The site calls it in the
 * browser: it cannot refer to anything outside.
 */
function boostDocument(address) {
  const folders = { 'reference/api': 0.5, migration: 0.4, help: 0.7, tools: 0.6 }
  const folder = Object.keys(folders).find((name) => address.includes(`/${name}/`))
  return (address.includes('#') ? 1 : 3) * (folders[folder] ?? 1)
}

/** The options of the local search. */
export const SEARCH = {
  detailedView: true,
  _render: searchedHtml,
  miniSearch: { searchOptions: { boostDocument } },
}
