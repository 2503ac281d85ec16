export const REPOSITORY = 'https://github.com/portcall/portcall'

/** Where the site is published. */
export const SITE = 'https://portcall.github.io/portcall/'

const meta = (property, content) => ['meta', { property, content }]

/** Returns the address of a page, such as `https://…/servers/tools` for `servers/tools.md`. */
const addressOf = (relativePath) => SITE + relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')

/** Returns the tags that other sites read to show a preview of a page. */
export function socialTags({ relativePath, isNotFound }, title, description) {
  if (isNotFound) return []
  const address = addressOf(relativePath)
  return [
    ['link', { rel: 'canonical', href: address }],
    meta('og:type', relativePath === 'index.md' ? 'website' : 'article'),
    meta('og:site_name', 'Portcall'),
    meta('og:title', title),
    meta('og:description', description),
    meta('og:url', address),
    meta('og:image', `${SITE}social.png`),
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ]
}
